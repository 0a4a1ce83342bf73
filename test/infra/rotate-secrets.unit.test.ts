import { randomUUID } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { credentials, sdkEnvironment } from '../../infra/local/account.ts';
import { type SecretsServer, startSecretsServer } from '../../infra/local/secrets/server.ts';
import { type SecretName, secretNames, secretVariable } from '../../shared/contract/needs.ts';

/** Rotations of the secrets with which nothing in the tables is encrypted, against the Secrets Manager of the local stack. */

const signing = ['click-ids', 'mail-links'] as const;
const start = Date.parse('2026-03-01T12:00:00.000Z');
const maxKept = 18;

let server: SecretsServer;
let secrets: SecretsManagerClient;
let rotateSecrets: typeof import('../../infra/admin/rotate-secrets.ts').rotateSecrets;
beforeAll(async () => {
  server = await startSecretsServer({ writeJson: () => {}, readJson: () => undefined });
  const { endpoint } = server;
  const endpoints = { dynamodb: endpoint, sqs: endpoint, secrets: endpoint, s3: endpoint, ses: endpoint };
  for (const [name, value] of Object.entries(sdkEnvironment(endpoints, credentials))) vi.stubEnv(name, value);
  secrets = new SecretsManagerClient({});
  ({ rotateSecrets } = await import('../../infra/admin/rotate-secrets.ts'));
});
afterAll(() => {
  secrets.destroy();
  server.stop();
  vi.unstubAllEnvs();
});

/** The ids of new secrets, which no test has rotated. */
const deploySecrets = (): void => {
  const names = Object.fromEntries(secretNames.map((name) => [name, `${name}-${randomUUID()}`]));
  const Resources = Object.fromEntries(
    Object.values(names).map((name) => [name, { Type: 'AWS::SecretsManager::Secret' }]),
  );
  const resources = new Map();
  server.deploy({ template: { Resources }, pseudoParameters: {}, resources });
  for (const name of secretNames) vi.stubEnv(secretVariable(name), resources.get(names[name]).reference);
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  deploySecrets();
});
afterEach(() => {
  vi.useRealTimers();
});

const secretId = (name: SecretName) => process.env[secretVariable(name)];
const versionOf = async (name: SecretName, which: { VersionId?: string; VersionStage?: string } = {}) =>
  (await secrets.send(new GetSecretValueCommand({ SecretId: secretId(name), ...which }))).VersionId;

/** What can be read of a secret after a rotation a month. */
const rotateMonthly = async (name: SecretName, times: number): Promise<string[]> => {
  const ids = [String(await versionOf(name))];
  for (let at = 0; at < times; at += 1) {
    vi.setSystemTime(Date.now() + 30 * 24 * 3_600_000);
    const { [name]: rotated } = await rotateSecrets([name]);
    ids.push(String(rotated?.versionId));
  }
  return ids;
};

it.each(signing)(
  'every version of %s can be read after many rotations, the one of the deployment too',
  async (name) => {
    const ids = await rotateMonthly(name, 5);
    expect(new Set(ids).size).toBe(6);
    expect(await Promise.all(ids.map((VersionId) => versionOf(name, { VersionId })))).toEqual(ids);
    expect(await versionOf(name)).toBe(ids.at(-1));
    expect(await versionOf(name, { VersionStage: 'AWSPREVIOUS' })).toBe(ids.at(-2));
  },
);

it.each(signing)(
  'a version of %s that was replaced without a label before is kept from the next rotation on',
  async (name) => {
    const first = await versionOf(name);
    const put = { SecretId: secretId(name), SecretString: 'of an earlier version', ClientRequestToken: randomUUID() };
    await secrets.send(new PutSecretValueCommand(put));
    await rotateMonthly(name, 3);
    expect(await versionOf(name, { VersionId: String(first) })).toBe(first);
  },
);

it('a version of the sessions is forgotten after the second rotation, which ends a leaked one', async () => {
  const [first = '', second = ''] = await rotateMonthly('sessions', 2);
  expect(await versionOf('sessions', { VersionId: second })).toBe(second);
  await expect(versionOf('sessions', { VersionId: first })).rejects.toThrow('no such secret');
});

it('with as many versions as Secrets Manager lets it label, a secret is not rotated until the oldest loses its label', async () => {
  const ids = await rotateMonthly('click-ids', maxKept);
  await expect(rotateSecrets(['click-ids'])).rejects.toThrow('click-ids was not rotated');
  expect(await versionOf('click-ids')).toBe(ids.at(-1));
  const [oldest = ''] = ids;
  const label = { SecretId: secretId('click-ids'), VersionStage: `KEPT_${oldest}`, RemoveFromVersionId: oldest };
  await secrets.send(new UpdateSecretVersionStageCommand(label));
  await rotateMonthly('click-ids', 1);
  expect(await versionOf('click-ids', { VersionId: String(ids[1]) })).toBe(ids[1]);
});
