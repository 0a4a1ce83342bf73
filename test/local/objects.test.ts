import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployBuckets } from '../../infra/local/objects/buckets.ts';
import { fileKey } from '../../shared/contract/files.ts';
import { bucketScope, lifecycle, startObjectStore } from '../support/object-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'objects-'));
const expiring = lifecycle({ ExpirationInDays: 7, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } });
const start = () => startObjectStore(['import-files:read', 'import-files:write'], { folder, properties: expiring });
let store: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  store = await start();
});
afterAll(async () => {
  await store?.stop();
  rmSync(folder, { recursive: true });
});

const newKey = () => fileKey('import-files', randomUUID(), randomUUID());
const at = (Key: string) => ({ Bucket: store.bucket, Key });
const put = (Key: string, Body = 'content') => new PutObjectCommand({ ...at(Key), Body });
const denied = { name: 'AccessDenied', $metadata: { httpStatusCode: 403, attempts: 1 } };

it('a function writes and reads what its role allows, and the operator everything', async () => {
  const key = newKey();
  await store.client.send(put(key));
  const { Body } = await store.client.send(new GetObjectCommand(at(key)));
  expect(await Body?.transformToString()).toBe('content');
  await store.operator.send(put('anywhere'));
  const { Contents } = await store.operator.send(new ListObjectsV2Command({ Bucket: store.bucket }));
  expect(Contents?.map(({ Key }) => Key)).toEqual(expect.arrayContaining(['anywhere', key]));
});

it.each([
  ['another kind', fileKey('export-files', randomUUID(), randomUUID())],
  ['no program', `imports/${randomUUID()}.csv`],
  ['a longer name', `${newKey()}.exe`],
  ['a deeper folder', newKey().replace('/imports/', '/imports/more/')],
])('keys outside of its prefix are refused, with one line in the log: %s', async (_, key) => {
  await expect(store.client.send(put(key))).rejects.toMatchObject({
    ...denied,
    message: expect.stringContaining('is not authorized to perform: s3:PutObject on resource: arn:aws:s3:::'),
  });
  await expect(store.client.send(new GetObjectCommand(at(key)))).rejects.toMatchObject(denied);
  await expect
    .poll(() => store.warnings.join('\n'))
    .toContain(`files called s3:PutObject on arn:aws:s3:::${store.bucket}/${key}`);
  await expect(store.operator.send(new HeadObjectCommand(at(key)))).rejects.toMatchObject({ name: 'NotFound' });
});

it('an action that it has no need of is refused', async () => {
  const key = newKey();
  await store.client.send(put(key));
  await expect(store.client.send(new DeleteObjectCommand(at(key)))).rejects.toMatchObject(denied);
  await store.operator.send(new HeadObjectCommand(at(key)));
});

it('who may not list the bucket is not told that an object is missing', async () => {
  await expect(store.client.send(new GetObjectCommand(at(newKey())))).rejects.toMatchObject(denied);
  await expect(store.client.send(new HeadObjectCommand(at(newKey())))).rejects.toMatchObject({
    $metadata: { httpStatusCode: 403 },
  });
  await expect(store.operator.send(new GetObjectCommand(at(newKey())))).rejects.toMatchObject({ name: 'NoSuchKey' });
});

it('what would be ignored in silence is refused: conditions of writes, copies, lists', async () => {
  const key = newKey();
  const notRun = { name: 'NotImplemented' };
  await expect(
    store.client.send(new PutObjectCommand({ ...at(key), Body: 'x', IfNoneMatch: '*' })),
  ).rejects.toMatchObject(notRun);
  await expect(
    store.client.send(new CopyObjectCommand({ ...at(key), CopySource: `${store.bucket}/${newKey()}` })),
  ).rejects.toMatchObject(notRun);
  await expect(store.client.send(new ListObjectsV2Command({ Bucket: store.bucket }))).rejects.toMatchObject(notRun);
  await expect(store.client.send(new GetObjectCommand({ ...at(key), VersionId: '1' }))).rejects.toMatchObject(notRun);
});

it('nobody without a key of this run is let in', async () => {
  const stranger = store.clientOf({ accessKeyId: 'ASIASTRANGER', secretAccessKey: 'secret' });
  await expect(stranger.send(put(newKey()))).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
  stranger.destroy();
  expect((await fetch(`${store.url}/anywhere`)).status).toBe(403);
  expect((await fetch(`${store.url}/anywhere`, { method: 'PUT', body: 'x' })).status).toBe(403);
});

it('a path with .. leads to the key of that name, and to no other', async () => {
  const key = newKey();
  await store.operator.send(put('secret.csv', 'secret'));
  const { hostname, port, pathname } = new URL(store.url);
  // A URL would resolve it.
  const path = `${pathname}/${key.slice(0, key.lastIndexOf('/'))}/../../../secret.csv`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${store.accessKeyId}/20260101/us-east-1/s3/aws4_request`;
  const response = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    request({ hostname, port, path, headers: { authorization } }, async (found) => {
      resolve({ status: found.statusCode, body: await text(found) });
    })
      .once('error', reject)
      .end();
  });
  expect(response).toMatchObject({ status: 403, body: expect.stringContaining('AccessDenied') });
});

it('which permissions were used is told by action and object', async () => {
  const key = newKey();
  await store.client.send(put(key));
  expect(await store.usedPermissions()).toContainEqual(
    expect.objectContaining({
      functionName: 'files',
      action: 's3:PutObject',
      resource: `arn:aws:s3:::${store.bucket}/${key}`,
    }),
  );
});

it('objects are there again after a restart', async () => {
  const key = newKey();
  await store.client.send(put(key, 'kept'));
  await store.stop();
  store = await start();
  const { Body } = await store.client.send(new GetObjectCommand(at(key)));
  expect(await Body?.transformToString()).toBe('kept');
});

it('objects expire at the midnight after their days, and uploads in parts that nobody finished after theirs', async () => {
  const key = newKey();
  await store.client.send(put(key));
  const { UploadId } = await store.client.send(new CreateMultipartUploadCommand(at(newKey())));
  const isThere = async () => {
    const found = await store.client.send(new HeadObjectCommand(at(key))).catch(() => undefined);
    return found !== undefined;
  };
  const [expiration] = store.expirations;
  const day = 86_400_000;
  const midnight = expiration?.next(new Date()) ?? new Date(0);
  expect(midnight.getTime() % day).toBe(0);
  await expiration?.run(new Date(midnight.getTime() + 6 * day));
  expect(await isThere()).toBe(true);
  await expect(
    store.client.send(new UploadPartCommand({ ...at(key), UploadId, PartNumber: 1, Body: 'x' })),
  ).rejects.toMatchObject({ name: 'NoSuchUpload' });
  await expiration?.run(new Date(midnight.getTime() + 7 * day));
  expect(await isThere()).toBe(false);
});

it('a lifecycle that it does not run stops the start', async () => {
  const withTransition = lifecycle({ Transitions: [{ StorageClass: 'GLACIER', TransitionInDays: 30 }] });
  const scope = bucketScope(withTransition);
  await expect(deployBuckets(scope, 'http://127.0.0.1:9', async () => {})).rejects.toThrow(
    'The local stack does not run the lifecycle of Files',
  );
});
