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
/** `createdAt` is in seconds, as Secrets Manager has it. `labels` are those beside AWSCURRENT and AWSPREVIOUS. */
const version = z.object({
  value: z.string(),
  versionId: z.string(),
  createdAt: z.number().default(0),
  labels: z.array(z.string()).default([]),
});
/** Of each secret the version that is used now, and the earlier ones, which still decrypt. */
export const storedSecrets = z.record(z.string(), version.extend({ earlier: z.array(version).default([]) }));
type StoredSecrets = z.output<typeof storedSecrets>;

const getRequest = z.object({
  SecretId: z.string(),
  VersionId: z.string().optional(),
  VersionStage: z.enum(['AWSCURRENT', 'AWSPREVIOUS']).optional(),
});
const putRequest = z.object({ SecretId: z.string(), SecretString: z.string(), ClientRequestToken: z.string() });
const describeRequest = z.object({ SecretId: z.string() });
const labelRequest = z.object({
  SecretId: z.string(),
  VersionStage: z.string().refine((label) => !label.startsWith('AWS')),
  MoveToVersionId: z.string().optional(),
  RemoveFromVersionId: z.string().optional(),
});

const maxLabels = 20;
const secondsOfDay = 24 * 60 * 60;

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

const tooManyLabels: Reply = {
  status: 400,
  body: { __type: 'LimitExceededException', message: `A secret has at most ${maxLabels} staging labels.` },
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
  if (versionId !== current.versionId) {
    const isKept = ({ labels, createdAt }: (typeof earlier)[number]): boolean =>
      labels.length > 0 || nowSeconds() - createdAt < secondsOfDay;
    const kept = [current, ...earlier.filter(isKept)];
    secrets[name] = { value, versionId, createdAt: nowSeconds(), labels: [], earlier: kept };
  }
  keep();
  return { status: 200, body: { ARN: asked.data.SecretId, Name: name, VersionId: versionId } };
}

/** Of each version that has labels, which. */
const labelsOf = (secret: StoredSecrets[string]): [string, string[]][] =>
  [secret, ...secret.earlier]
    .map(({ versionId, labels }, at): [string, string[]] => [
      versionId,
      [...['AWSCURRENT', 'AWSPREVIOUS'].slice(at, at + 1), ...labels],
    ])
    .filter(([, labels]) => labels.length > 0);

function describeSecret(secrets: StoredSecrets, input: unknown): Reply {
  const asked = describeRequest.safeParse(input);
  const name = asked.success ? nameOfArn(secrets, asked.data.SecretId) : undefined;
  const secret = name === undefined ? undefined : secrets[name];
  if (!asked.success || !secret) return notFound;
  const VersionIdsToStages = Object.fromEntries(labelsOf(secret));
  return { status: 200, body: { ARN: asked.data.SecretId, Name: name, VersionIdsToStages } };
}

function updateSecretVersionStage(secrets: StoredSecrets, input: unknown, keep: () => void): Reply {
  const asked = labelRequest.safeParse(input);
  const name = asked.success ? nameOfArn(secrets, asked.data.SecretId) : undefined;
  const secret = name === undefined ? undefined : secrets[name];
  if (!asked.success || !secret) return notFound;
  const { VersionStage: label, MoveToVersionId: to, RemoveFromVersionId: from } = asked.data;
  const versions = [secret, ...secret.earlier];
  if ([to, from].some((id) => id && !versions.some(({ versionId }) => versionId === id))) return notFound;
  const used = new Set(labelsOf(secret).flatMap(([, labels]) => labels));
  if (to && !used.has(label) && used.size >= maxLabels) return tooManyLabels;
  for (const one of versions) {
    const others = one.labels.filter((other) => other !== label);
    one.labels = one.versionId === to ? [...others, label] : others;
  }
  keep();
  return { status: 200, body: { ARN: asked.data.SecretId, Name: name } };
}

/**
 * Serves the calls of Secrets Manager that functions and the operator make. The values are generated once and kept in the
 * data folder, readable by its owner alone. A version without a label is forgotten after a day, at the next rotation.
 */
export async function startSecretsServer(data: Pick<DataFolder, 'readJson' | 'writeJson'>): Promise<SecretsServer> {
  const secrets = data.readJson(fileName, storedSecrets) ?? {};
  const keep = () => data.writeJson(fileName, secrets);
  const replyTo = (target: unknown, input: unknown): Reply => {
    if (target === 'secretsmanager.GetSecretValue') return getSecretValue(secrets, input);
    if (target === 'secretsmanager.DescribeSecret') return describeSecret(secrets, input);
    if (target === 'secretsmanager.UpdateSecretVersionStage') return updateSecretVersionStage(secrets, input, keep);
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
        secrets[logicalId] ??= { value, versionId: randomUUID(), createdAt: nowSeconds(), labels: [], earlier: [] };
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
