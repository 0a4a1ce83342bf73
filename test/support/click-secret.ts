import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { vi } from 'vitest';
import { secretVariable } from '../../shared/contract/needs.ts';
import { connections } from '../../shared/platform/clients/signed-call.ts';

/** The one that this process signs click ids with: it is read once. */
export const clickSecret = { VersionId: randomUUID(), SecretString: randomUUID(), CreatedDate: new Date(0) };

/** For what makes click ids, which calls Secrets Manager without its client, and for what reads them. */
export const useClickSecret = (): void => {
  vi.stubEnv(secretVariable('click-ids'), 'arn of click-ids');
  // Unit tests have no environment of a function.
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    vi.stubEnv(name, process.env[name] ?? 'of-tests');
  vi.spyOn(SecretsManagerClient.prototype, 'send').mockImplementation(async () => clickSecret);
  const handle = connections.handle.bind(connections);
  vi.spyOn(connections, 'handle').mockImplementation(async (request, options) => {
    if (request.headers['x-amz-target'] !== 'secretsmanager.GetSecretValue') return handle(request, options);
    const response = {
      statusCode: 200,
      headers: {},
      body: Readable.from([Buffer.from(JSON.stringify({ ...clickSecret, CreatedDate: 0 }))]),
    };
    return { response } as Awaited<ReturnType<typeof handle>>;
  });
};
