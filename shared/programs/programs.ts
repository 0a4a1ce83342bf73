import { newRecordId } from '../table/record-id.ts';
import { writeTogether } from '../table/transaction.ts';
import { getAccount, ownership, ownershipEnd, type Plan, programIdsOf, putAccount } from './accounts.ts';
import { newKey } from './api-keys.ts';
import { allApiKeys, getProgram, programs, type StoredProgram, updateToken } from './repository.ts';

/** What the operator and the dashboard do with programs and accounts. Decisions, section 7. */

interface NewProgram {
  name: string;
  ownerEmail: string;
  currency?: string;
  commissionRate?: number;
  baseUrls?: string[];
  /** The account's plan; an account that exists keeps its own when absent, a new one gets BUSINESS. */
  plan?: Plan;
}

/** Makes a program with a first key, in one transaction. Answers the key, of which an encrypted copy is kept. */
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
  const { apiKey, record, writes } = await newKey(
    program,
    plan,
    { name: 'First key', kind: 'API', platforms: [] },
    now,
  );
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
