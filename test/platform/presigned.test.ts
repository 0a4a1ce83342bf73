import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Files from '../../shared/platform/objects/files.ts';
import type * as Presigned from '../../shared/platform/objects/presigned.ts';
import { startObjectStore } from '../support/object-store.ts';

// Forms and links, as a browser uses them, against the local S3. The modules are imported anew: see files.test.ts.

let store: Awaited<ReturnType<typeof startObjectStore>>;
let files: typeof Files;
let presigned: typeof Presigned;

beforeAll(async () => {
  store = await startObjectStore(['import-files:read', 'import-files:write']);
  for (const [name, value] of Object.entries(store.environment)) vi.stubEnv(name, value);
  vi.resetModules();
  files = await import('../../shared/platform/objects/files.ts');
  presigned = await import('../../shared/platform/objects/presigned.ts');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.resetModules();
  await store?.stop();
});

const newFile = () => ({ kind: 'import-files' as const, programId: randomUUID(), id: randomUUID() });
type Form = Presigned.UploadForm;

/** @param change what somebody alters in the form before it is sent */
const post = async ({ url, fields }: Form, content: string | Uint8Array<ArrayBuffer>, change: Form['fields'] = {}) => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, ...change })) form.append(name, value);
  form.append('file', new Blob([content], { type: 'application/octet-stream' }), 'codes.csv');
  const response = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  const body = await response.text();
  return { status: response.status, code: /<Code>(\w+)/.exec(body)?.[1], body, headers: response.headers };
};

describe('a form', () => {
  it('uploads the one file that it was made for', async () => {
    const file = newFile();
    const form = await presigned.uploadForm(file, { maxBytes: 100, seconds: 60 });
    expect(await post(form, 'code\nHELLO')).toMatchObject({ status: 204 });
    expect(await files.fileState(file)).toMatchObject({ bytes: 10 });
    const stored = await fetch(await presigned.downloadUrl(file, { fileName: 'codes.csv', seconds: 60 }));
    expect(stored.headers.get('content-type')).toBe('text/csv');
    expect(await stored.text()).toBe('code\nHELLO');
  });

  it('leads the browser on where it was told to', async () => {
    const redirect = 'https://app.example.com/imports/1?step=2';
    const form = await presigned.uploadForm(newFile(), { maxBytes: 100, seconds: 60, redirect });
    const { status, headers } = await post(form, 'code');
    const location = new URL(headers.get('location') ?? '');
    expect([status, location.origin + location.pathname]).toEqual([303, 'https://app.example.com/imports/1']);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ step: '2', key: form.fields.key });
    expect(await post(form, 'code', { success_action_redirect: 'https://evil.example.com' })).toMatchObject({
      status: 403,
    });
  });

  it('takes a file of tens of megabytes', async () => {
    const file = newFile();
    const form = await presigned.uploadForm(file, { maxBytes: 40 * 1024 ** 2, seconds: 60 });
    expect(await post(form, new Uint8Array(30 * 1024 ** 2))).toMatchObject({ status: 204 });
    expect(await files.fileState(file)).toMatchObject({ bytes: 30 * 1024 ** 2 });
  });

  it.each([
    { what: 'one byte too many', content: 'x'.repeat(101), code: 'EntityTooLarge' },
    { what: 'nothing', content: '', code: 'EntityTooSmall' },
    { what: 'another content type', change: { 'Content-Type': 'text/html' }, code: 'AccessDenied' },
    { what: 'another key', change: { key: `programs/${randomUUID()}/imports/1.csv` }, code: 'AccessDenied' },
    { what: 'a field that was not signed', change: { 'x-amz-meta-note': 'x' }, code: 'AccessDenied' },
    {
      what: 'another access key',
      change: { 'X-Amz-Credential': 'AKIA/1/2/s3/aws4_request' },
      code: 'InvalidAccessKeyId',
    },
    {
      what: 'another policy',
      change: { Policy: btoa('{"expiration":"2999-01-01T00:00:00Z","conditions":[]}') },
      code: 'SignatureDoesNotMatch',
    },
  ])('with $what is refused, and nothing is stored', async ({ content = 'code', change = {}, code }) => {
    const file = newFile();
    const form = await presigned.uploadForm(file, { maxBytes: 100, seconds: 60 });
    expect(await post(form, content, { ...change } as Form['fields'])).toMatchObject({ code });
    expect(await files.fileState(file)).toBeUndefined();
  });

  it('is refused when its time is over', async () => {
    const file = newFile();
    const form = await presigned.uploadForm(file, { maxBytes: 100, seconds: 1 });
    await sleep(1100);
    const { code, body } = await post(form, 'code');
    expect(code).toBe('AccessDenied');
    expect(body).toContain('Policy expired');
    expect(await files.fileState(file)).toBeUndefined();
  });

  it('is refused without a signature', async () => {
    const { url, fields } = await presigned.uploadForm(newFile(), { maxBytes: 100, seconds: 60 });
    const bare = { url, fields: { key: fields.key ?? '', 'Content-Type': 'text/csv' } };
    expect(await post(bare, 'code')).toMatchObject({ status: 403, code: 'AccessDenied' });
  });
});

describe('a link', () => {
  const get = async (url: string | URL, method = 'GET') => {
    const response = await fetch(url, { method });
    const body = await response.text();
    return { status: response.status, code: /<Code>(\w+)/.exec(body)?.[1], body, headers: response.headers };
  };
  const linkTo = async (seconds = 60) => {
    const file = newFile();
    await files.putFile(file, 'code\nHELLO');
    return new URL(await presigned.downloadUrl(file, { fileName: 'Zoë’s "codes".csv', seconds }));
  };

  it('downloads its file under the name that it was given', async () => {
    const { status, body, headers } = await get(await linkTo());
    expect([status, body]).toEqual([200, 'code\nHELLO']);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="Zo__s _codes_.csv"; filename*=UTF-8''Zo%C3%AB%E2%80%99s%20%22codes%22.csv`,
    );
  });

  it('is refused when its time is over', async () => {
    const link = await linkTo(1);
    await sleep(2100);
    expect(await get(link)).toMatchObject({
      status: 403,
      code: 'AccessDenied',
      body: expect.stringContaining('expired'),
    });
  });

  it.each([
    {
      what: 'to another file',
      alter: (link: URL) => (link.pathname = link.pathname.replace(/imports.*/, 'imports/1.csv')),
    },
    { what: 'for a longer time', alter: (link: URL) => link.searchParams.set('X-Amz-Expires', '604800') },
    {
      what: 'under another name',
      alter: (link: URL) => link.searchParams.set('response-content-disposition', 'inline'),
    },
  ])('that was altered, $what, is refused', async ({ alter }) => {
    const link = await linkTo();
    alter(link);
    expect(await get(link)).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
  });

  it('deletes and replaces nothing', async () => {
    const link = await linkTo();
    expect(await get(link, 'DELETE')).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
    expect(await get(link, 'PUT')).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
    expect(await get(link)).toMatchObject({ status: 200 });
  });

  it('is refused without its signature', async () => {
    const link = await linkTo();
    expect(await get(link.origin + link.pathname)).toMatchObject({ status: 403, code: 'AccessDenied' });
  });
});
