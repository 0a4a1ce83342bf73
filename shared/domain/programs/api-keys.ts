import { randomUUID } from 'node:crypto';
import { bounds } from '../../contract/bounds.ts';
import { ApiError } from '../../contract/errors.ts';
import { open, seal } from '../../platform/secrets/seal.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { RecordChanged, whileChanging } from '../../platform/table/record-store.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { hashOfToken } from '../access/token.ts';
import { accountPresence, getAccount, type Plan } from './accounts.ts';
import {
  allApiKeys,
  apiKeys,
  getProgram,
  programs,
  type StoredApiKey,
  type StoredProgram,
  tokenCreation,
  tokenRemoval,
  updateTokens,
} from './repository.ts';

/** The keys of programs: found by their hash, shown again from an encrypted copy. Decisions, section 5. */

const contextOf = (programId: string, keyId: string): string => `${programId}/${keyId}`;

type KeyPurpose = Pick<StoredApiKey, 'name' | 'kind' | 'platforms' | 'slot'>;

/** Whether the keys of a program that has so many share a limit. */
const shareLimit = (keyCount: number): boolean => keyCount > bounds.keysWithWholeRateLimit;

/**
 * Propagates to all tokens of a program whether they share a limit, until that is true of the keys that it has now,
 * whoever else creates or deletes some.
 */
export const propagateSharing = async (programId: string): Promise<void> => {
  for (;;) {
    const sharesLimit = shareLimit((await allApiKeys(programId)).length);
    await updateTokens([programId], { sharesLimit });
    if (shareLimit((await allApiKeys(programId)).length) === sharesLimit) return;
  }
};

/** A key with the writes that make it. */
export const newKey = async (
  program: StoredProgram,
  plan: Plan,
  { name, kind, platforms, slot }: KeyPurpose,
  sharesLimit: boolean,
  now: Date,
): Promise<{ apiKey: string; record: StoredApiKey; writes: Write[] }> => {
  const apiKey = randomUUID();
  const tokenHash = hashOfToken(apiKey);
  const at = now.toISOString();
  const id = newRecordId(now);
  const record: StoredApiKey = {
    id,
    createdAt: at,
    updatedAt: at,
    version: 1,
    name,
    kind,
    platforms,
    ...(slot !== undefined && { slot }),
    tokenHash,
    lastFour: apiKey.slice(-4),
    sealedKey: await seal('key-copies', apiKey, contextOf(program.id, id)),
  };
  const token = {
    programId: program.id,
    keyId: id,
    kind,
    plan,
    programDeleted: false,
    currency: program.currency,
    commissionRate: program.commissionRate,
    sharesLimit,
  };
  return { apiKey, record, writes: [...apiKeys.creation(program.id, record), tokenCreation(tokenHash, token)] };
};

/**
 * Makes and keeps another key of a program that is there. Throws RecordChanged when what authentication must know of it,
 * or of its account, was changed in between, so that the caller begins again.
 */
export const addKey = async (
  programId: string,
  purpose: KeyPurpose,
  now: Date,
): Promise<{ keyId: string; apiKey: string }> => {
  const program = await getProgram(programId);
  const account = await getAccount(program.ownerEmail);
  const sharesLimit = shareLimit((await allApiKeys(programId)).length + 1);
  // The others first: there is no moment at which all keys may use their whole limits.
  if (sharesLimit) await updateTokens([programId], { sharesLimit });
  const { apiKey, record, writes } = await newKey(program, account?.plan ?? 'FREE', purpose, sharesLimit, now);
  const { currency, commissionRate } = program;
  const changed = () => new RecordChanged(`Program ${programId} changed`);
  await writeTogether([
    programs.presence(programId, programId, changed, { currency, commissionRate }),
    accountPresence(program.ownerEmail, account),
    ...writes,
  ]);
  // Only now can the key be known to anybody. Others may have been created in between, or deleted, which gives the rest
  // their whole limits.
  if (sharesLimit || shareLimit((await allApiKeys(programId)).length)) await propagateSharing(programId);
  return { keyId: record.id, apiKey };
};

const keySlots = {
  count: bounds.keysOfProgram,
  whenFull: () =>
    new ApiError('bad_request', `A program has at most ${bounds.keysOfProgram} API keys. Delete one first.`),
};

/** Makes another key of a program and answers it. 404 when the program is gone, 400 when it has all keys it may have. */
export const createApiKey = (programId: string, name: string, now: Date): Promise<{ keyId: string; apiKey: string }> =>
  whileChanging(() =>
    withFreeSlot(apiKeys, programId, keySlots, (slot) =>
      addKey(programId, { name, kind: 'API', platforms: [], slot }, now),
    ),
  );

/** The keys of a program, without the keys themselves and without that of a connected platform. */
export const listApiKeys = async (programId: string) => {
  await getProgram(programId);
  return (await allApiKeys(programId))
    .filter(({ kind }) => kind === 'API')
    .map(({ id, name, lastFour, createdAt }) => ({ id, name, lastFour, createdAt }));
};

/** One key of a program. 404 when there is none; the connector token is none of them. */
export const readApiKey = async (programId: string, keyId: string): Promise<StoredApiKey> => {
  const key = await apiKeys.get(programId, keyId);
  if (key?.kind !== 'API') throw new ApiError('not_found', 'No such key in this program');
  return key;
};

/** The text of a key as the dashboard shows it again, from its encrypted copy. */
export const apiKeyText = async (programId: string, { id, sealedKey }: StoredApiKey): Promise<string> => {
  const text = await open('key-copies', sealedKey, contextOf(programId, id));
  if (text === undefined) throw new Error(`The copy of key ${id} cannot be decrypted`);
  return text;
};

/** What takes a key from the table and from authentication. */
const keyRemoval = (programId: string, key: StoredApiKey): Write[] => [
  ...apiKeys.removal(programId, key),
  tokenRemoval(key.tokenHash),
];

/** Deletes a key, so that the next request with it fails, and gives the others their whole limits where they are few now. */
export const removeKey = async (programId: string, key: StoredApiKey): Promise<void> => {
  await writeTogether(keyRemoval(programId, key));
  if ((await allApiKeys(programId)).length <= bounds.keysWithWholeRateLimit) await propagateSharing(programId);
};

/** Deletes a key; the next request with it fails. 404 when there is none. */
export const deleteApiKey = async (programId: string, keyId: string): Promise<void> =>
  removeKey(programId, await readApiKey(programId, keyId));
