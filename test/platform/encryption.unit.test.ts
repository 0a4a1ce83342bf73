import { createHash, randomUUID } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  decrypt,
  decryptFromClient,
  encrypt,
  encryptForClient,
  reencrypt,
} from '../../shared/platform/secrets/encryption.ts';
import { newestVersion } from '../../shared/platform/secrets/secret-value.ts';
import { fakeSecret } from '../support/fake-secrets.ts';

let secret: ReturnType<typeof fakeSecret>;
let version: string;
beforeEach(() => {
  secret = fakeSecret();
  version = secret.rotate();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Rotates the secret, and returns when this process knows the new version. */
const rotateKnown = async (createdAt?: Date): Promise<string> => {
  const id = secret.rotate(createdAt);
  await newestVersion(secret.name);
  return id;
};

const headerOf = (encrypted: string): object =>
  JSON.parse(Buffer.from(encrypted.split('.')[0] ?? '', 'base64url').toString());

const keyOf = (id: string) => createHash('sha256').update(`text of ${id}`).digest();

/** A text as the product encrypts it, with another header or key. */
const encryptedWith = (header: object, key: Uint8Array = keyOf(version)): Promise<string> =>
  new CompactEncrypt(new TextEncoder().encode('Zoë'))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: version, ctx: 'one', ...header })
    .encrypt(key);

describe.each([
  ['stored', encrypt, decrypt],
  ['sent to a client', encryptForClient, decryptFromClient],
])('a text that is %s', (_, encryptText, decryptText) => {
  it('says in its header by which version it was encrypted, and for what', async () => {
    const encrypted = await encryptText(secret.name, 'Zoë', 'one');
    expect(headerOf(encrypted)).toEqual({ alg: 'dir', enc: 'A256GCM', kid: version, ctx: 'one' });
    expect(await decryptText(secret.name, encrypted, 'one')).toBe('Zoë');
  });

  it('is decrypted for what it was encrypted for only', async () => {
    const encrypted = await encryptText(secret.name, 'Zoë', 'one');
    expect(await decryptText(secret.name, encrypted, 'other')).toBeUndefined();
    expect(await decryptText(secret.name, await encryptedWith({ ctx: 'other' }), 'one')).toBeUndefined();
  });

  it.each<[string, () => Promise<string>]>([
    ['as one of ours', () => encryptedWith({})],
    ['with another key', () => encryptedWith({}, keyOf('another'))],
    ['with another encryption', () => encryptedWith({ enc: 'A128CBC-HS256' })],
    ['with another key management', () => encryptedWith({ alg: 'A256KW' })],
    ['without a version', () => encryptedWith({ kid: undefined })],
    ['with a version that is none', () => encryptedWith({ kid: randomUUID() })],
    ['as no encrypted text', async () => 'nonsense'],
    ['as nothing', async () => ''],
  ])('that came %s is decrypted only if it is one', async (how, made) => {
    const expected = how === 'as one of ours' ? 'Zoë' : undefined;
    expect(await decryptText(secret.name, await made(), 'one')).toBe(expected);
  });

  it('is decrypted after a rotation', async () => {
    const encrypted = await encryptText(secret.name, 'Zoë', 'one');
    await rotateKnown();
    expect(await decryptText(secret.name, encrypted, 'one')).toBe('Zoë');
  });
});

describe('a stored text', () => {
  it.each(['ResourceNotFoundException', 'InvalidParameterException'])(
    'of a version that Secrets Manager refuses with %s cannot be decrypted',
    async (name) => {
      const encrypted = await encrypt(secret.name, 'Zoë', 'one');
      await rotateKnown();
      secret.versions.pop();
      secret.fail(Object.assign(new Error(), { name }));
      // Known to this process, however it was rotated since.
      expect(await decrypt(secret.name, encrypted, 'one')).toBe('Zoë');
      expect(await decrypt(secret.name, await encryptedWith({ kid: randomUUID() }), 'one')).toBeUndefined();
    },
  );

  it('is no text without its secret while Secrets Manager fails: the caller gets the failure', async () => {
    await newestVersion(secret.name);
    secret.fail(new Error('down'));
    const encrypted = await encryptedWith({ kid: randomUUID() });
    await expect(decrypt(secret.name, encrypted, 'one')).rejects.toThrow('down');
  });

  it('is encrypted anew with the newest version, once', async () => {
    const encrypted = await encrypt(secret.name, 'Zoë', 'one');
    expect(await reencrypt(secret.name, encrypted, 'one')).toBeUndefined();
    const kid = await rotateKnown();
    const again = await reencrypt(secret.name, encrypted, 'one');
    expect(headerOf(again ?? '')).toMatchObject({ kid, ctx: 'one' });
    expect(await decrypt(secret.name, again ?? '', 'one')).toBe('Zoë');
    expect(await reencrypt(secret.name, again ?? '', 'one')).toBeUndefined();
  });

  it('that cannot be decrypted is not encrypted anew', async () => {
    const encrypted = await encrypt(secret.name, 'Zoë', 'one');
    await rotateKnown();
    for (const [text, context] of [
      [encrypted, 'other'],
      ['nonsense', 'one'],
    ] as const)
      await expect(reencrypt(secret.name, text, context)).rejects.toThrow(
        `A text of ${secret.name} cannot be decrypted: ${context}`,
      );
  });
});

describe('a text for a client', () => {
  it('is encrypted with the version before for ten minutes after a rotation', async () => {
    await rotateKnown(new Date(Date.now() - 9 * 60_000));
    expect(headerOf(await encryptForClient(secret.name, 'Zoë', 'one'))).toMatchObject({ kid: version });
    expect(headerOf(await encrypt(secret.name, 'Zoë', 'one'))).not.toMatchObject({ kid: version });
  });

  it('of an unknown version causes no call', async () => {
    await encryptForClient(secret.name, 'Zoë', 'one');
    const calls = secret.asked.length;
    expect(await decryptFromClient(secret.name, await encryptedWith({ kid: randomUUID() }), 'one')).toBeUndefined();
    expect(secret.asked).toHaveLength(calls);
  });
});
