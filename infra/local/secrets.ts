import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { accountId, region } from './account.ts';
import type { DataFolder } from './data-folder.ts';
import { resourcesOf, type Scope } from './template.ts';

export interface SecretsServer {
  readonly endpoint: string;
  stop(): void;
}

const storedSecrets = z.record(z.string(), z.string());
const getSecretValue = z.object({ SecretId: z.string() });

/** The ARN of a secret of the template. */
const secretArn = (name: string): string => `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}`;

/** Tells `scope` of the template's secrets, which come to be when they are first asked for. */
export function deploySecrets(scope: Scope): void {
  for (const { logicalId } of resourcesOf(scope, 'AWS::SecretsManager::Secret')) {
    scope.resources.set(logicalId, { reference: secretArn(logicalId), attributes: { Id: secretArn(logicalId) } });
  }
}

/** The one call of Secrets Manager that functions make, on 127.0.0.1. Values are made at random and kept. */
export async function startSecretsServer(data: DataFolder): Promise<SecretsServer> {
  const kept = storedSecrets.safeParse(data.readJson('secrets.json'));
  const secrets = kept.success ? kept.data : {};
  const textOf = (id: string): string => {
    const known = secrets[id];
    if (known !== undefined) return known;
    const made = randomBytes(48).toString('base64url');
    secrets[id] = made;
    data.writeJson('secrets.json', secrets);
    return made;
  };
  const server = createServer(async (request, response) => {
    const asked = getSecretValue.safeParse(await json(request).catch(() => undefined));
    const isKnown = request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue' && asked.success;
    const isSecret = isKnown && asked.data.SecretId.startsWith(secretArn(''));
    response.writeHead(isSecret ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(
      JSON.stringify(
        isSecret
          ? { ARN: asked.data.SecretId, SecretString: textOf(asked.data.SecretId) }
          : { __type: isKnown ? 'ResourceNotFoundException' : 'InvalidRequestException', Message: 'Not here' },
      ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    endpoint: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
