import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { requestHandler } from '../clients/request-handler.ts';
import { type SecretName, secretVariable } from '../contract/needs.ts';

/** A version of a secret: `id` finds it again after another has taken its place. */
export interface SecretVersion {
  id: string;
  value: string;
}

const client = new SecretsManagerClient({ requestHandler });
const current = new Map<SecretName, Promise<SecretVersion>>();
const byId = new Map<string, Promise<SecretVersion>>();

const read = async (name: SecretName, versionId?: string): Promise<SecretVersion> => {
  const SecretId = process.env[secretVariable(name)];
  if (!SecretId) throw new Error(`${secretVariable(name)} is not set: the operation does not need ${name}:use`);
  const { SecretString: value, VersionId: id } = await client.send(
    new GetSecretValueCommand({ SecretId, ...(versionId && { VersionId: versionId }) }),
  );
  if (!value || !id) throw new Error(`The secret ${name} has no text`);
  return { id, value };
};

/** Keeps what was read for the life of the process; what could not be read is asked for again the next time. */
const remembered = <Key>(
  memory: Map<Key, Promise<SecretVersion>>,
  key: Key,
  ask: () => Promise<SecretVersion>,
): Promise<SecretVersion> => {
  const asked = memory.get(key) ?? ask();
  memory.set(key, asked);
  asked.catch(() => memory.delete(key));
  return asked;
};

/** The version that encrypts now. One call of Secrets Manager in the life of a process. */
export const currentVersion = (name: SecretName): Promise<SecretVersion> => remembered(current, name, () => read(name));

/** The version with that id, which encrypted something earlier. Fails when Secrets Manager has forgotten it. */
export const versionWithId = async (name: SecretName, id: string): Promise<SecretVersion> => {
  const now = await currentVersion(name);
  return now.id === id ? now : remembered(byId, `${name}/${id}`, () => read(name, id));
};
