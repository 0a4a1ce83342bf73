import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod';
import { accountId, region } from '../account.ts';
import type { DataFolder } from '../data/data-folder.ts';
import { listenOn } from '../listen.ts';
import { resourcesOf, type Scope } from '../template/template.ts';

export interface SecretsServer {
  readonly endpoint: string;
  /** Makes the template's secrets that are not there yet, and tells `scope` what they are. */
  deploy(scope: Scope): void;
  /** The variables with each dynamic reference, such as `{{resolve:secretsmanager:<arn>:SecretString:::}}`, replaced by its value. */
  fillIn(variables: Readonly<Record<string, string>>): Record<string, string>;
  stop(): void;
}

const fileName = 'secrets.json';
/** `createdAt` is in seconds, as Secrets Manager has it. */
const version = z.object({ value: z.string(), versionId: z.string(), createdAt: z.number().default(0) });
/** Of each secret the version that is used now, and the earlier ones, which still decrypt. */
export const storedSecrets = z.record(z.string(), version.extend({ earlier: z.array(version).default([]) }));
type StoredSecrets = z.output<typeof storedSecrets>;

const getRequest = z.object({
  SecretId: z.string(),
  VersionId: z.string().optional(),
  VersionStage: z.enum(['AWSCURRENT', 'AWSPREVIOUS']).optional(),
});
const putRequest = z.object({ SecretId: z.string(), SecretString: z.string(), ClientRequestToken: z.string() });

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const dynamicReference = /\{\{resolve:secretsmanager:(.+?):SecretString:::\}\}/g;

const arnOf = (name: string): string => `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}`;

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const notFound: Reply = {
  status: 400,
  body: { __type: 'ResourceNotFoundException', message: 'There is no such secret on this machine.' },
};

const nameOfArn = (secrets: StoredSecrets, arn: string): string | undefined =>
  Object.keys(secrets).find((name) => arnOf(name) === arn);

function getSecretValue(secrets: StoredSecrets, input: unknown): Reply {
  const asked = getRequest.safeParse(input);
  const name = asked.success ? nameOfArn(secrets, asked.data.SecretId) : undefined;
  const secret = name === undefined ? undefined : secrets[name];
  if (!asked.success || !secret) return notFound;
  const { VersionId: id, VersionStage: stage = id ? undefined : 'AWSCURRENT' } = asked.data;
  const all = [secret, ...secret.earlier];
  const found = id ? all.find(({ versionId }) => versionId === id) : all[stage === 'AWSPREVIOUS' ? 1 : 0];
  if (!found) return notFound;
  const { value: SecretString, versionId: VersionId, createdAt: CreatedDate } = found;
  return { status: 200, body: { ARN: asked.data.SecretId, Name: name, SecretString, VersionId, CreatedDate } };
}

function putSecretValue(secrets: StoredSecrets, input: unknown, keep: () => void): Reply {
  const asked = putRequest.safeParse(input);
  const name = asked.success ? nameOfArn(secrets, asked.data.SecretId) : undefined;
  const before = name === undefined ? undefined : secrets[name];
  if (!asked.success || name === undefined || !before) return notFound;
  const { SecretString: value, ClientRequestToken: versionId } = asked.data;
  const { earlier, ...current } = before;
  // The same request again is the same version.
  if (versionId !== current.versionId)
    secrets[name] = { value, versionId, createdAt: nowSeconds(), earlier: [current, ...earlier] };
  keep();
  return { status: 200, body: { ARN: asked.data.SecretId, Name: name, VersionId: versionId } };
}

/**
 * Serves the calls of Secrets Manager that functions and the operator make: GetSecretValue and PutSecretValue. The values
 * are generated once and kept in the data folder, readable by its owner alone.
 */
export async function startSecretsServer(data: DataFolder): Promise<SecretsServer> {
  const secrets = data.readJson(fileName, storedSecrets) ?? {};
  const keep = () => data.writeJson(fileName, secrets);
  const replyTo = (target: unknown, input: unknown): Reply => {
    if (target === 'secretsmanager.GetSecretValue') return getSecretValue(secrets, input);
    return target === 'secretsmanager.PutSecretValue' ? putSecretValue(secrets, input, keep) : notFound;
  };
  const server = createServer(async (incoming, response) => {
    const input = await json(incoming).catch(() => undefined);
    const { status, body } = replyTo(incoming.headers['x-amz-target'], input);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  });
  const port = await listenOn(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    deploy: (scope) => {
      for (const { logicalId } of resourcesOf(scope, 'AWS::SecretsManager::Secret')) {
        const value = randomBytes(48).toString('base64url');
        secrets[logicalId] ??= { value, versionId: randomUUID(), createdAt: nowSeconds(), earlier: [] };
        scope.resources.set(logicalId, { reference: arnOf(logicalId), attributes: { Id: arnOf(logicalId) } });
      }
      keep();
    },
    fillIn: (variables) =>
      Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [
          name,
          value.replaceAll(dynamicReference, (_, arn: string) => {
            const secret = secrets[nameOfArn(secrets, arn) ?? ''];
            if (!secret) throw new Error(`The template names the secret ${arn}, which it does not have.`);
            return secret.value;
          }),
        ]),
      ),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
