import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors } from 'jose';
import type { SecretName } from '../contract/needs.ts';
import { currentVersion, type SecretVersion, versionWithId } from './secret-value.ts';

/** Of text that must be read again, but never lies in the clear: JWE, by A256GCM. Decisions, sections 4, 5 and 7. */

const keyOf = ({ value }: SecretVersion): Uint8Array => createHash('sha256').update(value).digest();

/**
 * Encrypts a text. `context` says what the text belongs to, such as the ids of its record: it opens with the same alone,
 * so that nobody gains by copying it elsewhere. It is authenticated and not hidden.
 */
export const seal = async (name: SecretName, text: string, context: string): Promise<string> => {
  const version = await currentVersion(name);
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: version.id, ctx: context })
    .encrypt(keyOf(version));
};

/** The text that `seal` was given, or undefined where it was altered, or sealed by another secret or for something else. */
export const open = async (name: SecretName, sealed: string, context: string): Promise<string | undefined> => {
  try {
    const { kid, ctx } = decodeProtectedHeader(sealed);
    if (kid === undefined || ctx !== context) return undefined;
    const { plaintext } = await compactDecrypt(sealed, keyOf(await versionWithId(name, kid)), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return new TextDecoder().decode(plaintext);
  } catch (error) {
    // What is no JWE at all is a TypeError of the decoder.
    if (error instanceof errors.JOSEError || error instanceof TypeError || isUnknownVersion(error)) return undefined;
    throw error;
  }
};

/** A version id that Secrets Manager does not know was not written by us, or was forgotten since. */
const isUnknownVersion = (error: unknown): boolean =>
  error instanceof Error && ['ResourceNotFoundException', 'InvalidParameterException'].includes(error.name);
