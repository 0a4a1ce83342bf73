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

/** Of text that must be read again, but never lies in the clear: JWE, by A256GCM. Decisions, sections 4, 5 and 7. */

const keyOf = ({ value }: SecretVersion): Uint8Array => createHash('sha256').update(value).digest();

const encrypted = (text: string, context: string, version: SecretVersion): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: version.id, ctx: context })
    .encrypt(keyOf(version));

/**
 * Encrypts a text. `context` says what the text belongs to, such as the ids of its record: it opens with the same alone,
 * so that nobody gains by copying it elsewhere. It is authenticated and not hidden.
 */
export const seal = async (name: SecretName, text: string, context: string): Promise<string> =>
  encrypted(text, context, await currentVersion(name));

/**
 * As `seal`, for a text that `openForeign` decrypts. For ten minutes after a rotation it uses the previous version, which
 * every running function knows.
 */
export const sealForeign = async (name: SecretName, text: string, context: string): Promise<string> =>
  encrypted(text, context, await settledVersion(name, Date.now()));

/** The version that a text says it was encrypted with, and what it says it belongs to; undefined for what is none of ours. */
const headerOf = (sealed: string): { kid: string; ctx: unknown } | undefined => {
  try {
    const { kid, ctx } = decodeProtectedHeader(sealed);
    return kid === undefined ? undefined : { kid, ctx };
  } catch {
    return undefined;
  }
};

const decrypted = async (sealed: string, version: SecretVersion): Promise<string | undefined> => {
  try {
    const { plaintext } = await compactDecrypt(sealed, keyOf(version), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
};

/** The text that `seal` was given, or undefined where it was altered, or sealed by another secret or for something else. */
export const open = async (name: SecretName, sealed: string, context: string): Promise<string | undefined> => {
  const header = headerOf(sealed);
  if (header?.ctx !== context) return undefined;
  try {
    return await decrypted(sealed, await versionWithId(name, header.kid));
  } catch (error) {
    if (isUnknownVersion(error)) return undefined;
    throw error;
  }
};

/**
 * As `open`, for a text that anybody may have made up, such as a cookie: an unknown version
 * causes no call of Secrets Manager.
 */
export const openForeign = async (name: SecretName, sealed: string, context: string): Promise<string | undefined> => {
  const header = headerOf(sealed);
  if (header?.ctx !== context) return undefined;
  const version = await recentVersionWithId(name, header.kid);
  return version && decrypted(sealed, version);
};

/**
 * The same text encrypted with the secret's newest version; undefined where it is already. Throws where the text cannot be
 * decrypted any more.
 */
export const reseal = async (name: SecretName, sealed: string, context: string): Promise<string | undefined> => {
  if (headerOf(sealed)?.kid === (await currentVersion(name)).id) return undefined;
  const text = await open(name, sealed, context);
  if (text === undefined) throw new Error(`A text of ${name} cannot be decrypted: ${context}`);
  return seal(name, text, context);
};

/** A version id that Secrets Manager does not know was not written by us, or was forgotten since. */
const isUnknownVersion = (error: unknown): boolean =>
  error instanceof Error && ['ResourceNotFoundException', 'InvalidParameterException'].includes(error.name);
