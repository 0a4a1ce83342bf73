import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type SecretName, secretVariable } from '../../contract/needs.ts';
import { requestHandler } from '../clients/request-handler.ts';

export interface SecretVersion {
  id: string;
  value: string;
  createdAt: number;
}

/** How soon a running function notices a rotation. */
const currentMilliseconds = 5 * 60 * 1000;

/** Cookies wait until every running function knows the new version. */
const settledMilliseconds = 2 * currentMilliseconds;

interface Current {
  version: Promise<SecretVersion>;
  readAt: number;
}

const client = new SecretsManagerClient({ requestHandler });
const current = new Map<SecretName, Current>();
const byId = new Map<string, Promise<SecretVersion>>();
const recent = new Map<SecretName, { versions: Promise<readonly SecretVersion[]>; readAt: number }>();

const keyOf = (name: SecretName, id: string): string => `${name}/${id}`;

const read = async (
  name: SecretName,
  which: { VersionId?: string; VersionStage?: 'AWSPREVIOUS' } = {},
): Promise<SecretVersion> => {
  const SecretId = process.env[secretVariable(name)];
  if (!SecretId) throw new Error(`${secretVariable(name)} is not set: the operation does not need ${name}:use`);
  const response = await client.send(new GetSecretValueCommand({ SecretId, ...which }));
  const { SecretString: value, VersionId: id } = response;
  if (!value || !id) throw new Error(`The secret ${name} has no text`);
  const version = { id, value, createdAt: response.CreatedDate?.getTime() ?? 0 };
  byId.set(keyOf(name, id), Promise.resolve(version));
  return version;
};

const readCurrent = (name: SecretName): Promise<SecretVersion> => {
  const before = current.get(name);
  const version = read(name);
  current.set(name, { version, readAt: Date.now() });
  // A failed read is repeated next time; until then the previous version is used.
  version.catch(() => (before ? current.set(name, before) : current.delete(name)));
  return version;
};

/** One call in five minutes per process; only the first one waits. */
export const currentVersion = (name: SecretName): Promise<SecretVersion> => {
  const known = current.get(name);
  if (!known) return readCurrent(name);
  if (Date.now() - known.readAt > currentMilliseconds) readCurrent(name).catch(() => {});
  return known.version;
};

export const newestVersion = (name: SecretName): Promise<SecretVersion> => readCurrent(name);

export const versionWithId = async (name: SecretName, id: string): Promise<SecretVersion> => {
  const now = await currentVersion(name);
  if (now.id === id) return now;
  const key = keyOf(name, id);
  const asked = byId.get(key) ?? read(name, { VersionId: id });
  byId.set(key, asked);
  asked.catch(() => byId.delete(key));
  return asked;
};

const readRecent = async (name: SecretName): Promise<readonly SecretVersion[]> => {
  const previous = read(name, { VersionStage: 'AWSPREVIOUS' }).catch((error: unknown) => {
    // A secret that was never rotated has no previous version.
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  });
  const [newest, before] = await Promise.all([readCurrent(name), previous]);
  return before ? [newest, before] : [newest];
};

/** Newest first; refreshed in the background every five minutes. */
const recentVersions = (name: SecretName): Promise<readonly SecretVersion[]> => {
  const known = recent.get(name);
  if (known && Date.now() - known.readAt <= currentMilliseconds) return known.versions;
  const versions = readRecent(name);
  recent.set(name, { versions, readAt: Date.now() });
  versions.catch(() => (known ? recent.set(name, known) : recent.delete(name)));
  return known?.versions ?? versions;
};

/** An unknown id causes no call of Secrets Manager. */
export const recentVersionWithId = async (name: SecretName, id: string): Promise<SecretVersion | undefined> =>
  (await recentVersions(name)).find((version) => version.id === id);

/** The newest version that every running function knows. `now` is in milliseconds. */
export const settledVersion = async (name: SecretName, now: number): Promise<SecretVersion> => {
  const [newest, previous] = await recentVersions(name);
  if (!newest) throw new Error(`The secret ${name} has no version`);
  return previous && now - newest.createdAt < settledMilliseconds ? previous : newest;
};
