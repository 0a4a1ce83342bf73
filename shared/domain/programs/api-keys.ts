import { randomUUID } from 'node:crypto';
import { bounds } from '../../contract/bounds.ts';
import { ApiError } from '../../contract/errors.ts';
import { decrypt, encrypt } from '../../platform/secrets/encryption.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { type ItemKey, takeItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { type DeletedLimit, keepDeletedLimit } from '../access/deleted-limits.ts';
import { readLastUses } from '../access/last-use.ts';
import type { Counts } from '../access/rate-limit.ts';
import { hashOfToken, tokenKey } from '../access/token.ts';
import { accountPlanCheck, getAccount, type Plan } from './accounts.ts';
import {
  allApiKeys,
  apiKeys,
  createTokenWrite,
  getProgram,
  programs,
  type StoredApiKey,
  type StoredProgram,
} from './repository.ts';
import { reviewsSales } from './review-rules.ts';
import { applySharing, limitUsersOf, propagateSharing, type Sharing, sharingOf } from './shared-limit.ts';

/** See docs/behavior.md#keys */

const contextOf = (programId: string, keyId: string): string => `${programId}/${keyId}`;

type KeyPurpose = Pick<StoredApiKey, 'name' | 'kind' | 'platforms' | 'slot' | 'createdBy'>;

interface Limit extends Sharing {
  /** What the key has used of its limit when it is created: that of the key whose place it takes. */
  counts?: Counts;
}

export const newKey = async (
  program: StoredProgram,
  plan: Plan,
  { name, kind, platforms, slot, createdBy }: KeyPurpose,
  { counts, ...sharing }: Limit,
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
    seenBy: [],
  };
  const token = {
    programId: program.id,
    keyId: id,
    kind,
    plan,
    programDeleted: false,
    currency: program.currency,
    commissionRate: program.commissionRate,
    timeZone: program.timeZone,
    reviewsSales: reviewsSales(program),
    ...sharing,
  };
  const writes = [...apiKeys.createWrites(program.id, record), createTokenWrite(tokenHash, token, counts)];
  return { apiKey, record, writes };
};

/** The new key takes the place of the one that was deleted last. */
const takePlaceWrite = ({ pk, sk }: DeletedLimit): Write => ({
  Delete: {
    TableName: deployedName('traffic'),
    Key: { pk, sk },
    ConditionExpression: 'attribute_exists(pk)',
  },
  refusal: () => new ConcurrentModificationError('Another key has taken this place'),
});

/** Throws ConcurrentModificationError if program or account changed in between, so that the caller retries. */
export const addKey = async (
  programId: string,
  purpose: KeyPurpose,
  now: Date,
): Promise<{ keyId: string; apiKey: string }> => {
  const program = await getProgram(programId);
  const account = await getAccount(program.ownerEmail);
  const users = await limitUsersOf(programId, now);
  const [place] = users.deleted;
  const sharing = sharingOf(users.keys.length + 1, users.deleted.length - (place ? 1 : 0), now);
  // The other keys first: at no moment may all keys use their whole limits.
  if (sharing.sharesLimit) await applySharing(programId, users, sharing, now);
  const limit = { ...sharing, ...(place && { counts: place.counts }) };
  const { apiKey, record, writes } = await newKey(program, account?.plan ?? 'FREE', purpose, limit, now);
  const changed = () => new ConcurrentModificationError(`Program ${programId} changed`);
  await writeTogether([
    programs.existsCheck(programId, programId, changed, { version: program.version }),
    accountPlanCheck(program.ownerEmail, account),
    ...(place ? [takePlaceWrite(place)] : []),
    ...writes,
  ]);
  // The key is known only now, and others may have been created or deleted in between.
  const after = await limitUsersOf(programId, now);
  if (sharing.sharesLimit || sharingOf(after.keys.length, after.deleted.length, now).sharesLimit)
    await propagateSharing(programId, now);
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
    id,
    name,
    lastFour,
    createdAt,
    createdBy,
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

/** Again with the key's record: a rebuild of tokens may have made it anew in between. */
const deleteTokenWrite = (at: ItemKey): Write => ({
  Delete: { TableName: deployedName('traffic'), Key: at },
  refusal: () => new Error('unconditional'),
});

/** The token first, which revokes the key at once. Can be repeated. */
export const removeKey = async (programId: string, key: StoredApiKey, now: Date): Promise<void> => {
  const at = tokenKey(key.tokenHash);
  const token = await takeItem('traffic', at);
  if (token) await keepDeletedLimit(programId, { ...token, ...at }, now);
  await writeTogether([
    ...apiKeys.deleteWrites(programId, key),
    apiKeys.revocationWrite(programId, key.id, now),
    deleteTokenWrite(at),
  ]);
  // The other keys get their whole limits back if few remain.
  if ((await allApiKeys(programId)).length <= bounds.keysWithWholeRateLimit) await propagateSharing(programId, now);
};

/** 404 if there is none. docs/behavior.md#revocation */
export const deleteApiKey = (programId: string, keyId: string, now: Date): Promise<void> =>
  retryOnConflict(async () => removeKey(programId, await readApiKey(programId, keyId), now));
