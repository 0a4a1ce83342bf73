import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { functionBuild } from '../../infra/bundle.ts';
import { startObjectStore } from '../support/object-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundled-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const source = `
import { parentPort, workerData } from 'node:worker_threads';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openFile, streamFile } from './shared/platform/objects/files.ts';
import { downloadUrl, uploadForm } from './shared/platform/objects/presigned.ts';
const run = async () => {
  await streamFile(workerData, Readable.from([Buffer.from('streamed')]));
  const link = await downloadUrl(workerData, { fileName: 'all.zip', seconds: 60 });
  const { fields } = await uploadForm(workerData, { maxBytes: 10, seconds: 60 });
  return { read: await text((await openFile(workerData)).content), link, key: fields.key };
};
run().then((result) => parentPort.postMessage(result), (error) => parentPort.postMessage({ error: String(error) }));`;

it('a bundle as it is deployed writes and reads files, and makes links and forms, with credentials from the environment', async () => {
  const { entryPoints: _none, outdir: _elsewhere, ...options } = functionBuild([]);
  const resolveDir = fileURLToPath(new URL('../..', import.meta.url));
  const { outputFiles = [] } = await build({ ...options, stdin: { contents: source, resolveDir } });
  const code = outputFiles[0]?.text ?? '';
  expect(code).not.toBe('');
  expect(code).not.toContain('sso_start_url');
  // The budget of a function that has nothing else is set by this: client, upload in parts, forms and links.
  expect(Buffer.byteLength(code) / 1024).toBeLessThan(600);
  const file = join(folder, 'index.cjs');
  writeFileSync(file, code);
  const store = await startObjectStore(['export-files:read', 'export-files:write']);
  const workerData = { kind: 'export-files', programId: randomUUID(), id: randomUUID() };
  const lambda = new Worker(file, { workerData, env: store.environment });
  const [result] = await once(lambda, 'message');
  expect(result).toEqual({
    read: 'streamed',
    link: expect.stringContaining(`${store.url}/programs/`),
    key: `programs/${workerData.programId}/exports/${workerData.id}.zip`,
  });
  expect(await (await fetch(result.link)).text()).toBe('streamed');
  await lambda.terminate();
  await store.stop();
});
