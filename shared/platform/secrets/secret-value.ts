import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type SecretName, secretVariable } from '../../contract/needs.ts';
import { requestHandler } from '../clients/request-handler.ts';
import { type SecretVersion, secretVersions, type WhichVersion } from './secret-versions.ts';

export type { SecretVersion } from './secret-versions.ts';

const client = new SecretsManagerClient({ requestHandler });

const readVersion = async (name: SecretName, which: WhichVersion): Promise<SecretVersion> => {
  const SecretId = process.env[secretVariable(name)];
  if (!SecretId) throw new Error(`${secretVariable(name)} is not set: the operation does not need ${name}:use`);
  const response = await client.send(new GetSecretValueCommand({ SecretId, ...which }));
  const { SecretString: value, VersionId: id } = response;
  if (!value || !id) throw new Error(`The secret ${name} has no text`);
  return { id, value, createdAt: response.CreatedDate?.getTime() ?? 0 };
};

export const { currentVersion, newestVersion, versionWithId, versionIfThere, recentVersionWithId, settledVersion } =
  secretVersions(readVersion);
