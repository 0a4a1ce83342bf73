import { Readable } from 'node:stream';
import { expect, vi } from 'vitest';
import { objects } from '../../shared/platform/objects/client.ts';
import type { Browser } from './browser.ts';
import { usualImage } from './image-files.ts';
import { sendFile } from './page-importer.ts';

/** In the process of a test, without a bucket: every file that is read is this one. */
export const stubFiles = (content = usualImage): void => {
  const found = () => ({ Body: Readable.from([content]), ContentLength: content.length, ETag: '"1"' });
  vi.spyOn(objects, 'send').mockImplementation(async () => found());
};

/** Uploads a file by the form of the page, and returns the id of the upload. */
export const uploadImage = async (
  browser: Browser,
  programId: string,
  content: Buffer<ArrayBuffer> = usualImage,
): Promise<string> => {
  const { text } = await browser.visit(`/programs/${programId}/assets/new-image`);
  const { status, headers } = await sendFile(text, content);
  const path = new URL(headers.get('location') ?? 'none:').pathname;
  expect([status, path]).toEqual([303, expect.stringContaining('/assets/uploads/')]);
  return path.split('/').at(-1) ?? '';
};

/** Sends the form by which an upload is published. */
export const sendUpload = async (browser: Browser, programId: string, uploadId: string, title: string) => {
  const path = `/programs/${programId}/assets/uploads/${uploadId}`;
  const { text } = await browser.visit(path);
  const [, etag = ''] = /name="etag" value="([^"]*)"/.exec(text) ?? [];
  return browser.submit(path, { title, etag: etag.replaceAll('&quot;', '"') });
};

export const addImage = async (browser: Browser, programId: string, title: string): Promise<void> => {
  const { status } = await sendUpload(browser, programId, await uploadImage(browser, programId), title);
  expect(status).toBe(303);
};
