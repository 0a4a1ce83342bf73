import { randomUUID } from 'node:crypto';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CompactEncrypt } from 'jose';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readSession, startSession } from '../../shared/web/session/session.ts';
import '../support/program.ts';

beforeAll(() => {
  vi.stubEnv('APP_URL', 'https://app.example');
  vi.stubEnv('SESSIONS_SECRET_ARN', process.env.KEY_COPIES_SECRET_ARN);
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** A cookie as a stranger may make it: in the right form, by an id of a version that never was. */
const madeUp = (kid: string): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode('{}'))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid, ctx: 'session' })
    .encrypt(new Uint8Array(32));

it('cookies with made-up versions of the secret are no session, and cost no call of Secrets Manager', async () => {
  const now = new Date();
  await startSession('a@example.com', now);
  const send = vi.spyOn(SecretsManagerClient.prototype, 'send');
  const cookies = await Promise.all(Array.from({ length: 300 }, () => madeUp(randomUUID())));
  const odd = await Promise.all(['', 'x', 'AWSCURRENT', '../..', 'ä'.repeat(500)].map(madeUp));
  for (const batch of [cookies.slice(0, 100), cookies.slice(100), odd])
    expect(await Promise.all(batch.map((cookie) => readSession(cookie, now)))).toEqual(batch.map(() => undefined));
  expect(send).not.toHaveBeenCalled();
  const cookie = /=([^;]*)/.exec(await startSession('a@example.com', now))?.[1];
  expect((await readSession(cookie, now))?.email).toBe('a@example.com');
});

it('a new version encrypts cookies ten minutes after the rotation, when every function knows it', async () => {
  vi.resetModules();
  const { recentVersionWithId, settledVersion } = await import('../../shared/platform/secrets/secret-value.ts');
  const rotatedAt = Date.now();
  const stages: Record<string, object> = {
    AWSCURRENT: { SecretString: 'new', VersionId: 'new-id', CreatedDate: new Date(rotatedAt) },
    AWSPREVIOUS: { SecretString: 'old', VersionId: 'old-id', CreatedDate: new Date(rotatedAt - 86_400_000) },
  };
  const send = vi.spyOn(SecretsManagerClient.prototype, 'send');
  send.mockImplementation(async ({ input }: { input: object }) => {
    const stage = 'VersionStage' in input ? String(input.VersionStage) : 'AWSCURRENT';
    return stages[stage];
  });
  expect((await settledVersion('sessions', rotatedAt + 9 * 60_000)).id).toBe('old-id');
  expect((await settledVersion('sessions', rotatedAt + 10 * 60_000)).id).toBe('new-id');
  expect((await recentVersionWithId('sessions', 'new-id'))?.value).toBe('new');
  expect(send).toHaveBeenCalledTimes(2);
});
