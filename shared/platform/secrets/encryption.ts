import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors } from 'jose';
import type { SecretName } from '../../contract/needs.ts';
import {
  currentVersion,
  recentVersionWithId,
  type SecretVersion,
  settledVersion,
  versionWithId,
} from './secret-value.ts';

/** JWE with A256GCM, for values that must be recoverable. */

const keyOf = ({ value }: SecretVersion): Uint8Array => createHash('sha256').update(value).digest();

const encryptWith = (text: string, context: string, version: SecretVersion): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: version.id, ctx: context })
    .encrypt(keyOf(version));

/** `context` (such as record ids) is authenticated, not hidden: a text copied elsewhere cannot be decrypted. */
export const encrypt = async (name: SecretName, text: string, context: string): Promise<string> =>
  encryptWith(text, context, await currentVersion(name));

/** For ten minutes after a rotation it uses the previous version, which every function knows. */
export const encryptForClient = async (name: SecretName, text: string, context: string): Promise<string> =>
  encryptWith(text, context, await settledVersion(name, Date.now()));

const headerOf = (encrypted: string): { kid: string; ctx: unknown } | undefined => {
  try {
    const { kid, ctx } = decodeProtectedHeader(encrypted);
    return kid === undefined ? undefined : { kid, ctx };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
};

const decryptWith = async (encrypted: string, version: SecretVersion): Promise<string | undefined> => {
  try {
    const { plaintext } = await compactDecrypt(encrypted, keyOf(version), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
};

export const decrypt = async (name: SecretName, encrypted: string, context: string): Promise<string | undefined> => {
  const header = headerOf(encrypted);
  if (header?.ctx !== context) return undefined;
  try {
    return await decryptWith(encrypted, await versionWithId(name, header.kid));
  } catch (error) {
    if (isUnknownVersion(error)) return undefined;
    throw error;
  }
};

/** For text that anybody may have made up: an unknown version causes no call of Secrets Manager. */
export const decryptFromClient = async (
  name: SecretName,
  encrypted: string,
  context: string,
): Promise<string | undefined> => {
  const header = headerOf(encrypted);
  if (header?.ctx !== context) return undefined;
  const version = await recentVersionWithId(name, header.kid);
  return version && decryptWith(encrypted, version);
};

/** Encrypted with the newest version; undefined if it is already. Throws if it cannot be decrypted. */
export const reencrypt = async (name: SecretName, encrypted: string, context: string): Promise<string | undefined> => {
  if (headerOf(encrypted)?.kid === (await currentVersion(name)).id) return undefined;
  const text = await decrypt(name, encrypted, context);
  if (text === undefined) throw new Error(`A text of ${name} cannot be decrypted: ${context}`);
  return encrypt(name, text, context);
};

const isUnknownVersion = (error: unknown): boolean =>
  error instanceof Error && ['ResourceNotFoundException', 'InvalidParameterException'].includes(error.name);
