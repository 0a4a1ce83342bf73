import { type SecretName, secretVariable } from '../../contract/needs.ts';
import { signedCall } from '../clients/signed-call.ts';
import { type SecretVersion, secretVersions, type WhichVersion } from './secret-versions.ts';

interface Value {
  SecretString?: string;
  VersionId?: string;
  CreatedDate?: number;
}

const readVersion = async (name: SecretName, which: WhichVersion): Promise<SecretVersion> => {
  const SecretId = process.env[secretVariable(name)];
  if (!SecretId) throw new Error(`${secretVariable(name)} is not set: the address does not need ${name}:use`);
  const {
    SecretString: value,
    VersionId: id,
    CreatedDate = 0,
  } = (await signedCall('secretsmanager', 'GetSecretValue', {
    SecretId,
    ...which,
  })) as Value;
  if (!value || !id) throw new Error(`The secret ${name} has no text`);
  return { id, value, createdAt: CreatedDate * 1000 };
};

/** As in `secret-value.ts`, without the client of the SDK: for the functions that visitors wait for. */
export const { settledVersion } = secretVersions(readVersion);
