import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentials } from '../../infra/local/account.ts';
import { adminOf, callApi, endStack, type StartedStack, startStack } from './started-stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'secrets-rotation-'));
let stack: StartedStack;
beforeAll(async () => {
  stack = await startStack(folder);
});
afterAll(async () => {
  await endStack(stack, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const admin = adminOf(folder);

const endpoints = () => JSON.parse(readFileSync(join(folder, 'endpoints.json'), 'utf8'));

/** The ids of the versions that the texts in the table are encrypted with. */
const versionsInUse = async (): Promise<Set<string>> => {
  const { dynamodbEndpoint, region, outputs } = endpoints();
  const client = new DynamoDBClient({ endpoint: dynamodbEndpoint, region, credentials });
  const { Items = [] } = await client.send(new ScanCommand({ TableName: outputs.TableName, ConsistentRead: true }));
  client.destroy();
  const texts = Items.map((item) => unmarshall(item)).flatMap(({ sealedSecret, previousSealedSecret, sealedKey }) =>
    [sealedSecret, previousSealedSecret, sealedKey].filter((text) => typeof text === 'string'),
  );
  expect(texts.length).toBeGreaterThan(5);
  return new Set(texts.map((text) => String(decodeProtectedHeader(text).kid)));
};

const secretsOf = async (): Promise<string[]> =>
  (await callApi(stack, 'GET', '/webhooks')).body.map(({ secret }: { secret: string }) => secret);

it('a rotation encrypts everything anew while endpoints change, and every secret stays what it is', async () => {
  for (let at = 0; at < 4; at += 1) {
    const { body } = await callApi(stack, 'POST', '/webhooks', {
      url: `https://example.com/${at}`,
      eventTypes: ['*'],
      active: false,
    });
    await callApi(stack, 'POST', '/webhooks/rotate-secret', { webhookId: body.id });
  }
  const before = await secretsOf();
  const earlier = await versionsInUse();
  const rotated = await admin('secrets', 'rotate');
  expect(rotated['webhook-secrets']).toMatchObject({ reencrypted: 8, undecryptable: [] });
  expect(rotated['key-copies'].reencrypted).toBeGreaterThan(0);
  const now = await versionsInUse();
  expect(now).toEqual(new Set([rotated['webhook-secrets'].versionId, rotated['key-copies'].versionId]));
  expect([...now].filter((id) => earlier.has(id))).toEqual([]);
  expect(await secretsOf()).toEqual(before);

  // The functions that ran before still encrypt with the version that they know, which stays readable.
  const id = (await callApi(stack, 'GET', '/webhooks')).body[0].id;
  const changing = async () => {
    const results: number[] = [];
    for (let times = 0; times < 10; times += 1)
      results.push((await callApi(stack, 'POST', '/webhooks/rotate-secret', { webhookId: id })).status);
    return results;
  };
  const [statuses] = await Promise.all([changing(), admin('secrets', 'rotate', '--name', 'webhook-secrets')]);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await admin('secrets', 'reencrypt');
  expect((await versionsInUse()).size).toBe(2);
  expect((await secretsOf()).slice(1)).toEqual(before.slice(1));
}, 120_000);

it('a rotation that was interrupted after its new version is finished, and running it once more changes nothing', async () => {
  const before = await secretsOf();
  const { secretsEndpoint, region, outputs } = endpoints();
  const client = new SecretsManagerClient({ endpoint: secretsEndpoint, region, credentials });
  const SecretId = outputs.WebhookSecretsSecretArn;
  const put = new PutSecretValueCommand({ SecretId, SecretString: 'a new value', ClientRequestToken: 'a'.repeat(36) });
  await client.send(put);
  await client.send(put);
  client.destroy();
  const finished = await admin('secrets', 'reencrypt');
  expect(finished['webhook-secrets'].reencrypted).toBe(8);
  expect((await admin('secrets', 'reencrypt'))['webhook-secrets'].reencrypted).toBe(0);
  expect(await versionsInUse()).toContain('a'.repeat(36));
  expect(await secretsOf()).toEqual(before);
});
