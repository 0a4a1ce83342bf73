import { Readable } from 'node:stream';
import { PNG } from 'pngjs';
import { expect, vi } from 'vitest';
import { objects } from '../../shared/platform/objects/client.ts';
import type { Browser } from './browser.ts';
import { sendFile } from './page-importer.ts';

/** An image in one color that a browser can show. */
export const pngOf = (width: number, height: number): Buffer<ArrayBuffer> => {
  const image = new PNG({ width, height });
  for (let at = 0; at < image.data.length; at += 4) image.data.set([79, 70, 229, 255], at);
  return Buffer.from(PNG.sync.write(image));
};

/** In the process of a test, without a bucket: every file that is read is this one. */
export const stubFiles = (content = pngOf(300, 250)): void => {
  const found = () => ({ Body: Readable.from([content]), ContentLength: content.length, ETag: '"1"' });
  vi.spyOn(objects, 'send').mockImplementation(async () => found());
};

/** Uploads a file by the form of the page, and returns the id of the upload. */
export const uploadImage = async (
  browser: Browser,
  programId: string,
  content: Buffer<ArrayBuffer> = pngOf(300, 250),
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
