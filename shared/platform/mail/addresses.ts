import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { MailKind, SuppressionReason } from '../../contract/mails.ts';
import { suppressionReasons } from '../../contract/mails.ts';
import { deployedName } from '../table/deployed-name.ts';
import { batchGetItems, deleteItem, getItem, putItemOnce } from '../table/items.ts';

// By a hash, because it outlives the records that have the address. docs/behavior.md#suppressed-addresses

export const addressHash = (address: string): string =>
  createHash('sha256').update(`mail address ${address}`).digest('base64url');

const pkOf = (address: string): string => `MAIL_ADDRESS#${addressHash(address)}`;
const suppressedKey = (address: string) => ({ pk: pkOf(address), sk: 'SUPPRESSED' });
const offKey = (address: string, programId: string, kind: MailKind) => ({
  pk: pkOf(address),
  sk: `OFF#${programId}#${kind}`,
});

export const StoredSuppression = z.object({ reason: z.enum(suppressionReasons), at: z.string() });
export type Suppression = z.infer<typeof StoredSuppression>;

/** No program writes to it any more. The first reason stays. */
export const suppressAddress = async (address: string, reason: SuppressionReason, now: Date): Promise<void> => {
  await putItemOnce('records', { ...suppressedKey(address), reason, at: now.toISOString() });
};

/** Programs may write to it again; false where they always might. SES keeps a list of its own. docs/operations.md */
export const allowAddress = async (address: string): Promise<boolean> => {
  const isSuppressed = (await getItem('records', suppressedKey(address))) !== undefined;
  await deleteItem('records', suppressedKey(address));
  return isSuppressed;
};

export const switchOffKind = async (
  { address, programId, kind }: { address: string; programId: string; kind: MailKind },
  now: Date,
): Promise<void> => {
  await putItemOnce('records', { ...offKey(address, programId, kind), at: now.toISOString() });
};

/** Whether a program may write a mail of this kind to the address. */
export const wantsMail = async (address: string, programId: string, kind: MailKind): Promise<boolean> => {
  // Of nobody (RFC 2606), such as what stands in the records of a person who was erased.
  if (address.endsWith('.invalid')) return false;
  const keys = [suppressedKey(address), offKey(address, programId, kind)];
  return (await batchGetItems(deployedName('records'), keys)).length === 0;
};

/** Those of the addresses that are suppressed. Eventually consistent: for pages. */
export const suppressionsOf = async (addresses: readonly string[]): Promise<ReadonlyMap<string, Suppression>> => {
  const byKey = new Map(addresses.map((address) => [pkOf(address), address]));
  const keys = [...byKey.keys()].map((pk) => ({ pk, sk: 'SUPPRESSED' }));
  const items = await batchGetItems(deployedName('records'), keys, { isConsistent: false });
  return new Map(items.map((item) => [byKey.get(String(item.pk)) ?? '', StoredSuppression.parse(item)]));
};
