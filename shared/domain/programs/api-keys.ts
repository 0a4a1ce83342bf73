import { randomUUID } from 'node:crypto';
import { bounds } from '../../contract/bounds.ts';
import { ApiError } from '../../contract/errors.ts';
import { decrypt, encrypt } from '../../platform/secrets/encryption.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { readLastUses } from '../access/last-use.ts';
import { hashOfToken } from '../access/token.ts';
import { accountPlanCheck, getAccount, type Plan } from './accounts.ts';
import {
  allApiKeys,
  apiKeys,
  createTokenWrite,
  deleteTokenWrite,
  getProgram,
  programs,
  type StoredApiKey,
  type StoredProgram,
  updateTokens,
} from './repository.ts';

/** See docs/behavior.md#keys */

const contextOf = (programId: string, keyId: string): string => `${programId}/${keyId}`;

type KeyPurpose = Pick<StoredApiKey, 'name' | 'kind' | 'platforms' | 'slot' | 'createdBy'>;

const shareLimit = (keyCount: number): boolean => keyCount > bounds.keysWithWholeRateLimit;

/** Updates the tokens until they agree with the number of keys, whoever else creates or deletes some. */
export const propagateSharing = async (programId: string): Promise<void> => {
  for (;;) {
    const sharesLimit = shareLimit((await allApiKeys(programId)).length);
    await updateTokens([programId], { sharesLimit });
    if (shareLimit((await allApiKeys(programId)).length) === sharesLimit) return;
  }
};

export const newKey = async (
  program: StoredProgram,
  plan: Plan,
  { name, kind, platforms, slot, createdBy }: KeyPurpose,
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
    createdBy,
    tokenHash,
    lastFour: apiKey.slice(-4),
    sealedKey: await encrypt('key-copies', apiKey, contextOf(program.id, id)),
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
  return { apiKey, record, writes: [...apiKeys.createWrites(program.id, record), createTokenWrite(tokenHash, token)] };
};

/** Throws ConcurrentModificationError if program or account changed in between, so that the caller retries. */
export const addKey = async (
  programId: string,
  purpose: KeyPurpose,
  now: Date,
): Promise<{ keyId: string; apiKey: string }> => {
  const program = await getProgram(programId);
  const account = await getAccount(program.ownerEmail);
  const sharesLimit = shareLimit((await allApiKeys(programId)).length + 1);
  // The other keys first: at no moment may all keys use their whole limits.
  if (sharesLimit) await updateTokens([programId], { sharesLimit });
  const { apiKey, record, writes } = await newKey(program, account?.plan ?? 'FREE', purpose, sharesLimit, now);
  const { currency, commissionRate } = program;
  const changed = () => new ConcurrentModificationError(`Program ${programId} changed`);
  await writeTogether([
    programs.existsCheck(programId, programId, changed, { currency, commissionRate }),
    accountPlanCheck(program.ownerEmail, account),
    ...writes,
  ]);
  // The key is known only now, and others may have been created or deleted in between.
  if (sharesLimit || shareLimit((await allApiKeys(programId)).length)) await propagateSharing(programId);
  return { keyId: record.id, apiKey };
};

const keySlots = {
  count: bounds.keysOfProgram,
  whenFull: () =>
    new ApiError('bad_request', `A program has at most ${bounds.keysOfProgram} API keys. Delete one first.`),
};

/** 404 if the program is gone, 400 if it has all the keys it may have. docs/behavior.md#bounds */
export const createApiKey = (
  programId: string,
  name: string,
  now: Date,
  createdBy: string | null = null,
): Promise<{ keyId: string; apiKey: string }> =>
  retryOnConflict(() =>
    withFreeSlot(apiKeys, programId, keySlots, (slot) =>
      addKey(programId, { name, kind: 'API', platforms: [], slot, createdBy }, now),
    ),
  );

/** Two round trips. 404 if the program is gone; `lastUsedAt` is the minute of the last request, or null. */
export const listApiKeys = async (programId: string) => {
  const [all] = await Promise.all([allApiKeys(programId), getProgram(programId)]);
  const keys = all.filter(({ kind }) => kind === 'API');
  const lastUses = await readLastUses(keys.map(({ tokenHash }) => tokenHash));
  return keys.map(({ id, name, lastFour, createdAt, createdBy, tokenHash }) => ({
    ...{ id, name, lastFour, createdAt, createdBy },
    lastUsedAt: lastUses.get(tokenHash) ?? null,
  }));
};

/** 404 if there is none or it is the connector token. */
export const readApiKey = async (programId: string, keyId: string): Promise<StoredApiKey> => {
  const key = await apiKeys.get(programId, keyId);
  if (key?.kind !== 'API') throw new ApiError('not_found', 'No such key in this program');
  return key;
};

export const apiKeyText = async (programId: string, { id, sealedKey }: StoredApiKey): Promise<string> => {
  const text = await decrypt('key-copies', sealedKey, contextOf(programId, id));
  if (text === undefined) throw new Error(`The copy of key ${id} cannot be decrypted`);
  return text;
};

const deleteKeyWrites = (programId: string, key: StoredApiKey): Write[] => [
  ...apiKeys.deleteWrites(programId, key),
  deleteTokenWrite(key.tokenHash),
];

/** The other keys get their whole limits back if few remain. */
export const removeKey = async (programId: string, key: StoredApiKey): Promise<void> => {
  await writeTogether(deleteKeyWrites(programId, key));
  if ((await allApiKeys(programId)).length <= bounds.keysWithWholeRateLimit) await propagateSharing(programId);
};

/** 404 if there is none. docs/behavior.md#revocation */
export const deleteApiKey = (programId: string, keyId: string): Promise<void> =>
  retryOnConflict(async () => removeKey(programId, await readApiKey(programId, keyId)));
