import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, errors } from 'jose';
import type { SecretName } from '../contract/needs.ts';
import { secretValue } from './secret-value.ts';

const algorithms = { alg: 'dir', enc: 'A256GCM' } as const;

/** 256 bits, whatever the secret's text is. */
const keyOf = async (name: SecretName): Promise<Uint8Array> =>
  createHash('sha256')
    .update(await secretValue(name))
    .digest();

/** The text, encrypted and signed with the key of that secret: a compact JWE, which fits into a cookie. */
export const encrypt = async (name: SecretName, text: string): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(text)).setProtectedHeader(algorithms).encrypt(await keyOf(name));

/** What `encrypt` was given; undefined when the token was made with another key, or altered. */
export const decrypt = async (name: SecretName, token: string): Promise<string | undefined> => {
  const key = await keyOf(name);
  try {
    const { plaintext } = await compactDecrypt(token, key, {
      keyManagementAlgorithms: [algorithms.alg],
      contentEncryptionAlgorithms: [algorithms.enc],
    });
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
};
