import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { email, uuid } from '../../contract/fields.ts';
import { mailKinds } from '../../contract/mails.ts';
import { currentVersion, versionIfThere } from '../secrets/secret-value.ts';

const Unsubscription = z.strictObject({ programId: uuid, kind: z.enum(mailKinds), address: email });
export type Unsubscription = z.output<typeof Unsubscription>;

const Token = z.tuple([z.uuid(), uuid, z.enum(mailKinds), email]);
const form = /^([A-Za-z0-9_-]{1,700})\.([A-Za-z0-9_-]{43})$/;

const signatureOf = (content: string, key: string): string =>
  createHmac('sha256', key).update('unsubscribe').update(content).digest('base64url');

/** Nothing is stored: the signature alone makes it valid. It names the version of the secret, and so outlives a rotation. */
export const unsubscribeToken = async ({ programId, kind, address }: Unsubscription): Promise<string> => {
  const { id, value } = await currentVersion('mail-links');
  const content = Buffer.from(JSON.stringify([id, programId, kind, address])).toString('base64url');
  return `${content}.${signatureOf(content, value)}`;
};

const contentOf = (encoded: string): z.output<typeof Token> | undefined => {
  try {
    return Token.safeParse(JSON.parse(Buffer.from(encoded, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
};

export const readUnsubscribeToken = async (token: string): Promise<Unsubscription | undefined> => {
  const [, encoded = '', signature = ''] = form.exec(token) ?? [];
  const content = contentOf(encoded);
  if (!content) return undefined;
  const [versionId, programId, kind, address] = content;
  const version = await versionIfThere('mail-links', versionId);
  if (!version) return undefined;
  const expected = signatureOf(encoded, version.value);
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature)) ? { programId, kind, address } : undefined;
};
