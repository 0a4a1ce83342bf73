import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type * as Admission from '../../shared/platform/clients/admission.ts';
import type * as Files from '../../shared/platform/objects/files.ts';
import { startObjectStore } from '../support/object-store.ts';

// With the permissions of the needs, which the local S3 enforces. The modules are imported anew: their client keeps the
// first address and credentials that it finds.

let store: Awaited<ReturnType<typeof startObjectStore>>;
let files: typeof Files;
let admission: typeof Admission;

beforeAll(async () => {
  store = await startObjectStore(['export-files:read', 'export-files:write', 'export-files:delete']);
  for (const [name, value] of Object.entries(store.environment)) vi.stubEnv(name, value);
  vi.resetModules();
  files = await import('../../shared/platform/objects/files.ts');
  admission = await import('../../shared/platform/clients/admission.ts');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.resetModules();
  await store?.stop();
});

const newFile = () => ({ kind: 'export-files' as const, programId: randomUUID(), id: randomUUID() });

const contentOf = async (file: Files.ProgramFile): Promise<string | undefined> => {
  const found = await files.openFile(file);
  return found && text(found.content);
};

it('what was put is read again, with its size, time and ETag, and is gone when it is deleted', async () => {
  const file = newFile();
  const before = Date.now();
  await files.putFile(file, 'Zoë');
  const state = await files.fileState(file);
  expect(state).toEqual({ bytes: 4, etag: expect.stringMatching(/^".+"$/), writtenAt: expect.any(Number) });
  // S3 tells whole seconds.
  expect(Math.abs((state?.writtenAt ?? 0) - before)).toBeLessThan(5000);
  expect(await contentOf(file)).toBe('Zoë');
  await files.deleteFile(file);
  expect(await files.fileState(file)).toBeUndefined();
  await files.deleteFile(file);
});

it('a file that is not there is no error, though the functions may not list what there is', async () => {
  expect(await files.fileState(newFile())).toBeUndefined();
  expect(await files.openFile(newFile())).toBeUndefined();
});

it('a stream longer than several parts is stored whole', async () => {
  const file = newFile();
  const chunk = randomBytes(1024 ** 2);
  const hash = createHash('sha256');
  let sent = 0;
  const chunks = function* () {
    for (let at = 0; at < 23; at++) {
      sent += 1;
      hash.update(chunk);
      yield chunk;
    }
  };
  const content = Readable.from(chunks(), { objectMode: false, highWaterMark: chunk.length });
  await files.streamFile(file, content);
  const found = await files.openFile(file);
  expect(found?.bytes).toBe(sent * chunk.length);
  const read = await buffer(found?.content ?? Readable.from([]));
  expect(createHash('sha256').update(read).digest('hex')).toBe(hash.digest('hex'));
});

it('a stream that fails leaves the file as it was, and its parts are given up', async () => {
  const file = newFile();
  await files.putFile(file, 'before');
  const chunks = function* () {
    for (let at = 0; at < 12; at++) yield Buffer.alloc(1024 ** 2);
    throw new Error('the database is away');
  };
  await expect(files.streamFile(file, Readable.from(chunks()))).rejects.toThrow('the database is away');
  expect(await contentOf(file)).toBe('before');
  await expect
    .poll(async () => (await store.usedPermissions()).map(({ action }) => action))
    .toContain('s3:AbortMultipartUpload');
});

it('a file that was checked is read as it was checked, or not at all', async () => {
  const file = newFile();
  await files.putFile(file, 'checked');
  const { etag } = (await files.fileState(file)) ?? { etag: '' };
  await expect(files.openFile(file, etag).then((found) => found && text(found.content))).resolves.toBe('checked');
  await files.putFile(file, 'replaced');
  await expect(files.openFile(file, etag)).rejects.toThrow(files.FileReplaced);
});

it('before a request is admitted its files are read, and its writes wait', async () => {
  const file = newFile();
  await files.putFile(file, 'before');
  const { promise, resolve: admit } = Promise.withResolvers<void>();
  await admission.runAhead(promise, async () => {
    const writing = files.putFile(file, 'after');
    expect(await contentOf(file)).toBe('before');
    admit();
    await writing;
  });
  expect(await contentOf(file)).toBe('after');
});

it('a request that is refused writes no file', async () => {
  const file = newFile();
  const refused = Promise.reject(new Error('refused'));
  await expect(admission.runAhead(refused, () => files.putFile(file, 'x'))).rejects.toThrow('refused');
  expect(await files.fileState(file)).toBeUndefined();
});

it('a kind that the function has no need of is refused', async () => {
  await expect(files.putFile({ ...newFile(), kind: 'import-files' }, 'x')).rejects.toMatchObject({
    name: 'AccessDenied',
    $metadata: { httpStatusCode: 403 },
  });
});

it('the bucket is that of the environment', () => {
  vi.stubEnv('FILES_BUCKET', '');
  expect(() => files.locationOf(newFile())).toThrow('The environment variable FILES_BUCKET is not set');
  vi.stubEnv('FILES_BUCKET', store.bucket);
});
