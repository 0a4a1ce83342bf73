import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { accountId, region } from './account.ts';
import type { DataFolder } from './data-folder.ts';
import { resourcesOf, type Scope } from './template.ts';

export interface SecretsServer {
  readonly endpoint: string;
  /** Makes the template's secrets that are not there yet, and tells `scope` what they are. */
  deploy(scope: Scope): void;
  stop(): void;
}

const fileName = 'secrets.json';
const storedSecrets = z.record(z.string(), z.object({ value: z.string(), versionId: z.string() }));
const request = z.object({ SecretId: z.string(), VersionId: z.string().optional() });

const arnOf = (name: string): string => `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}`;

/**
 * Serves the one call of Secrets Manager that functions make, GetSecretValue. The values are generated once and kept in
 * the data folder, readable by its owner alone.
 */
export async function startSecretsServer(data: DataFolder): Promise<SecretsServer> {
  const kept = storedSecrets.safeParse(data.readJson(fileName));
  const secrets = kept.success ? kept.data : {};
  const server = createServer(async (incoming, response) => {
    const asked = request.safeParse(await json(incoming).catch(() => undefined));
    const [name, secret] = Object.entries(secrets).find(([known]) => arnOf(known) === asked.data?.SecretId) ?? [];
    const isThere = secret && [undefined, secret.versionId].includes(asked.data?.VersionId);
    const found = incoming.headers['x-amz-target'] === 'secretsmanager.GetSecretValue' && isThere && name !== undefined;
    response
      .writeHead(found ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' })
      .end(
        JSON.stringify(
          found
            ? { ARN: arnOf(name), Name: name, SecretString: secret.value, VersionId: secret.versionId }
            : { __type: 'ResourceNotFoundException', message: 'There is no such secret on this machine.' },
        ),
      );
  });
  server.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The operating system gave no port.');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    deploy: (scope) => {
      for (const { logicalId } of resourcesOf(scope, 'AWS::SecretsManager::Secret')) {
        secrets[logicalId] ??= { value: randomBytes(48).toString('base64url'), versionId: randomUUID() };
        scope.resources.set(logicalId, { reference: arnOf(logicalId), attributes: { Id: arnOf(logicalId) } });
      }
      data.writeJson(fileName, secrets);
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
