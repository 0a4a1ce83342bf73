import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type SecretName, secretVariable } from '../contract/needs.ts';

const client = new SecretsManagerClient({ maxAttempts: 5 });
const known = new Map<SecretName, Promise<string>>();

const read = async (name: SecretName): Promise<string> => {
  const SecretId = process.env[secretVariable(name)];
  if (!SecretId) throw new Error(`The environment variable ${secretVariable(name)} is not set`);
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
  if (!SecretString) throw new Error(`The secret '${name}' is empty`);
  return SecretString;
};

/** A secret's value: read once in a Lambda's life. A read that failed is tried again the next time. */
export const secretValue = (name: SecretName): Promise<string> => {
  const value =
    known.get(name) ??
    read(name).catch((error: unknown) => {
      known.delete(name);
      throw error;
    });
  known.set(name, value);
  return value;
};
