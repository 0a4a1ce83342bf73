import { randomUUID } from 'node:crypto';
import { hashOfToken } from '../access/token.ts';
import { ApiError } from '../contract/errors.ts';
import { newRecordId } from '../table/record-id.ts';
import { writeTogether } from '../table/transaction.ts';
import { getAccount, ownership, ownershipEnd, type Plan, programIdsOf, putAccount } from './accounts.ts';
import {
  allApiKeys,
  apiKeys,
  getProgram,
  programs,
  type StoredApiKey,
  type StoredProgram,
  tokenCreation,
  tokenRemoval,
  updateToken,
} from './repository.ts';

/** What the operator and the dashboard do with programs, accounts and keys. Decisions, section 7. */

interface NewProgram {
  name: string;
  ownerEmail: string;
  currency?: string;
  commissionRate?: number;
  baseUrls?: string[];
  /** The account's plan; an account that exists keeps its own when absent, a new one gets BUSINESS. */
  plan?: Plan;
}

const newKey = (program: StoredProgram, plan: Plan, name: string, now: Date) => {
  const apiKey = randomUUID();
  const tokenHash = hashOfToken(apiKey);
  const at = now.toISOString();
  const record: StoredApiKey = {
    id: newRecordId(now),
    createdAt: at,
    updatedAt: at,
    version: 1,
    name,
    tokenHash,
    lastFour: apiKey.slice(-4),
  };
  const token = {
    programId: program.id,
    keyId: record.id,
    plan,
    programDeleted: false,
    currency: program.currency,
    commissionRate: program.commissionRate,
  };
  return { apiKey, record, writes: [...apiKeys.creation(program.id, record), tokenCreation(tokenHash, token)] };
};

/** Makes a program with a first key, in one transaction. Answers the only copy of the key. */
export const createProgram = async (
  input: NewProgram,
  now: Date,
): Promise<{ programId: string; apiKey: string; keyId: string }> => {
  const email = input.ownerEmail.trim().toLowerCase();
  const existing = await getAccount(email);
  const plan = input.plan ?? existing?.plan ?? 'BUSINESS';
  if (existing?.plan !== plan) await setPlan(email, plan);
  const at = now.toISOString();
  const id = newRecordId(now);
  const program: StoredProgram = {
    id,
    createdAt: at,
    updatedAt: at,
    version: 1,
    name: input.name,
    currency: input.currency ?? 'USD',
    commissionRate: input.commissionRate ?? 20,
    baseUrls: input.baseUrls ?? [],
    ownerEmail: email,
  };
  const { apiKey, record, writes } = newKey(program, plan, 'First key', now);
  await writeTogether([...programs.creation(id, program), ownership(email, id), ...writes]);
  return { programId: id, apiKey, keyId: record.id };
};

/**
 * Deletes a program: every request with one of its tokens is answered 404 from now on. What it has is purged in the
 * background.
 */
export const deleteProgram = async (programId: string): Promise<void> => {
  const program = await getProgram(programId);
  await writeTogether([...programs.removal(programId, program), ownershipEnd(program.ownerEmail, programId)]);
  for (const { tokenHash } of await allApiKeys(programId)) await updateToken(tokenHash, { programDeleted: true });
};

/** Sets an account's plan, and with it the access of every key of its programs. Makes the account when it is new. */
export const setPlan = async (email: string, plan: Plan): Promise<void> => {
  const owner = email.trim().toLowerCase();
  await putAccount({ email: owner, plan });
  for (const programId of await programIdsOf(owner))
    for (const { tokenHash } of await allApiKeys(programId)) await updateToken(tokenHash, { plan });
};

/** Makes another key of a program. Answers the only copy of the key. */
export const createApiKey = async (
  programId: string,
  name: string,
  now: Date,
): Promise<{ keyId: string; apiKey: string }> => {
  const program = await getProgram(programId);
  const account = await getAccount(program.ownerEmail);
  const { apiKey, record, writes } = newKey(program, account?.plan ?? 'FREE', name, now);
  const present = programs.presence(programId, programId, () => new ApiError('program_not_found'));
  await writeTogether([present, ...writes]);
  return { keyId: record.id, apiKey };
};

/** The keys of a program, without the keys themselves. */
export const listApiKeys = async (programId: string) => {
  await getProgram(programId);
  return (await allApiKeys(programId)).map(({ id, name, lastFour, createdAt }) => ({ id, name, lastFour, createdAt }));
};

/** Deletes a key; the next request with it fails. 404 when there is none. */
export const deleteApiKey = async (programId: string, keyId: string): Promise<void> => {
  const key = await apiKeys.get(programId, keyId);
  if (!key) throw new ApiError('not_found', 'No such key in this program');
  await writeTogether([...apiKeys.removal(programId, key), tokenRemoval(key.tokenHash)]);
};
