import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { requestHandler } from '../clients/request-handler.ts';
import { type SecretName, secretVariable } from '../contract/needs.ts';

/** A version of a secret: `id` finds it again after another has taken its place. */
export interface SecretVersion {
  id: string;
  value: string;
}

/** After this long a function asks which version is current, so that a rotation reaches functions that keep running. */
const currentMilliseconds = 5 * 60 * 1000;

/** An id that is not known makes a function ask for the newest two versions, at most once in this long. */
const refreshMilliseconds = 60 * 1000;

interface Current {
  version: Promise<SecretVersion>;
  readAt: number;
}

const client = new SecretsManagerClient({ requestHandler });
const current = new Map<SecretName, Current>();
const byId = new Map<string, Promise<SecretVersion>>();
const refreshes = new Map<SecretName, { done: Promise<unknown>; at: number }>();

const keyOf = (name: SecretName, id: string): string => `${name}/${id}`;

const read = async (
  name: SecretName,
  which: { VersionId?: string; VersionStage?: 'AWSPREVIOUS' } = {},
): Promise<SecretVersion> => {
  const SecretId = process.env[secretVariable(name)];
  if (!SecretId) throw new Error(`${secretVariable(name)} is not set: the operation does not need ${name}:use`);
  const answer = await client.send(new GetSecretValueCommand({ SecretId, ...which }));
  const { SecretString: value, VersionId: id } = answer;
  if (!value || !id) throw new Error(`The secret ${name} has no text`);
  const version = { id, value };
  byId.set(keyOf(name, id), Promise.resolve(version));
  return version;
};

const readCurrent = (name: SecretName): Promise<SecretVersion> => {
  const before = current.get(name);
  const version = read(name);
  current.set(name, { version, readAt: Date.now() });
  // What could not be read is asked for again the next time; until then the version before goes on.
  version.catch(() => (before ? current.set(name, before) : current.delete(name)));
  return version;
};

/** The version that encrypts now. One call of Secrets Manager in five minutes of a process, and none that waits but the first. */
export const currentVersion = (name: SecretName): Promise<SecretVersion> => {
  const known = current.get(name);
  if (!known) return readCurrent(name);
  if (Date.now() - known.readAt > currentMilliseconds) readCurrent(name).catch(() => {});
  return known.version;
};

/** The version that encrypts from now on, asked for at this moment: what a rotation goes by. */
export const newestVersion = (name: SecretName): Promise<SecretVersion> => readCurrent(name);

/** The version with that id, which encrypted something of ours earlier. Fails when Secrets Manager has forgotten it. */
export const versionWithId = async (name: SecretName, id: string): Promise<SecretVersion> => {
  const now = await currentVersion(name);
  if (now.id === id) return now;
  const key = keyOf(name, id);
  const asked = byId.get(key) ?? read(name, { VersionId: id });
  byId.set(key, asked);
  asked.catch(() => byId.delete(key));
  return asked;
};

/**
 * The version with an id that anybody may have made up, or undefined. It is one of the newest two, or unknown: made-up ids
 * cost two calls of Secrets Manager a minute and process at most, however many come.
 */
export const recentVersionWithId = async (name: SecretName, id: string): Promise<SecretVersion | undefined> => {
  const now = await currentVersion(name);
  const known = () => byId.get(keyOf(name, id));
  if (now.id === id) return now;
  if (known()) return known();
  const last = refreshes.get(name);
  if (!last || Date.now() - last.at > refreshMilliseconds) {
    const reads = [readCurrent(name), read(name, { VersionStage: 'AWSPREVIOUS' })];
    refreshes.set(name, { done: Promise.allSettled(reads), at: Date.now() });
  }
  await refreshes.get(name)?.done;
  return known();
};
