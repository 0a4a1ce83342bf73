import { randomInt } from 'node:crypto';
import { bounds } from '../../contract/bounds.ts';
import { canonicalEmail } from '../../contract/email.ts';
import { ApiError, fieldError } from '../../contract/errors.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import {
  type Account,
  createAccountWrite,
  createOwnershipWrite,
  deleteOwnershipWrite,
  getAccount,
  type Plan,
  programIdsOf,
  putAccount,
  updateProgramCountWrite,
} from './accounts.ts';
import { newKey } from './api-keys.ts';
import { createHandleWrite, HandleTaken, handleCandidates, releaseHandleWrites } from './handles.ts';
import { getProgram, programs, type StoredProgram, setProgramPlan, updateTokens } from './repository.ts';

/** See docs/behavior.md#accounts-and-programs */

interface NewProgram {
  name: string;
  ownerEmail: string;
  currency?: string;
  commissionRate?: number;
  baseUrls?: string[];
  allowSelfReferral?: boolean;
  /** If absent, an existing account keeps its plan and a new one gets BUSINESS. */
  plan?: Plan;
}

interface CreatedProgram {
  programId: string;
  apiKey: string;
  keyId: string;
}

/** How many programs are written at the same time. */
const maxConcurrency = 10;

const ownerEmailOf = (text: string): string => {
  const email = canonicalEmail(text);
  if (email === undefined) throw fieldError('ownerEmail', `${text.slice(0, 100)} is not an email address`);
  return email;
};

/** 400 if the account has all the programs of its plan. docs/behavior.md#bounds */
const programCounted = async (account: Account, exists: boolean): Promise<Write> => {
  if (!exists) return createAccountWrite({ ...account, programCount: 1 });
  const { email, plan } = account;
  const count = account.programCount ?? (await programIdsOf(email)).length;
  const { programsOfBusinessAccount, programsOfFreeAccount } = bounds;
  const most = plan === 'BUSINESS' ? programsOfBusinessAccount : programsOfFreeAccount;
  if (count >= most)
    throw new ApiError(
      'bad_request',
      plan === 'BUSINESS'
        ? `An account on the BUSINESS plan has at most ${most} programs.`
        : `An account on the FREE plan has at most ${most} program. The BUSINESS plan includes ${programsOfBusinessAccount}.`,
    );
  return updateProgramCountWrite(account, count + 1);
};

/** Throws ConcurrentModificationError if the account's plan changed in between, so that the caller retries. */
const addProgram = async (
  email: string,
  input: Omit<NewProgram, 'plan'>,
  handle: string,
  now: Date,
): Promise<CreatedProgram> => {
  const existing = await getAccount(email);
  const account: Account = existing ?? { email, plan: 'BUSINESS' };
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
    allowSelfReferral: input.allowSelfReferral ?? false,
    timeZone: 'UTC',
    handle,
    attribution: 'LAST_CLICK',
    attributionDays: 60,
    showsCodes: false,
    portalIsOn: true,
    logoUrl: null,
    embeddingOrigins: [],
    applicationForm: null,
    ownerEmail: email,
    plan: account.plan,
  };
  const { apiKey, record, writes } = await newKey(
    program,
    account.plan,
    { name: 'First key', kind: 'API', platforms: [], slot: 0, createdBy: email },
    { sharesLimit: false },
    now,
  );
  await writeTogether([
    await programCounted(account, existing !== undefined),
    ...programs.createWrites(id, program),
    createHandleWrite(handle, id),
    createOwnershipWrite(email, id),
    ...writes,
  ]);
  return { programId: id, apiKey, keyId: record.id };
};

export const createProgram = async (input: NewProgram, now: Date): Promise<CreatedProgram> => {
  const email = ownerEmailOf(input.ownerEmail);
  if (input.plan) await setPlan(email, input.plan);
  for await (const handle of handleCandidates(input.name, () => randomInt(1000, 1_000_000))) {
    try {
      return await retryOnConflict(() => addProgram(email, input, handle, now));
    } catch (error) {
      if (!(error instanceof HandleTaken)) throw error;
    }
  }
  throw new Error('There is always one more candidate');
};

/** Its requests get 404 from now on. docs/behavior.md#deleting-a-program */
export const deleteProgram = async (programId: string): Promise<void> => {
  const program = await getProgram(programId);
  await retryOnConflict(async () => {
    const [account, present] = await Promise.all([getAccount(program.ownerEmail), getProgram(programId)]);
    const count = account?.programCount;
    await writeTogether([
      ...programs.deleteWrites(programId, present),
      ...(await releaseHandleWrites(present)),
      deleteOwnershipWrite(program.ownerEmail, programId),
      ...(account && count ? [updateProgramCountWrite(account, count - 1)] : []),
    ]);
  });
  await updateTokens([programId], { programDeleted: true });
};

/** Repeats until the tokens have the current plan, whoever else sets it. */
const tellOfPlan = async (email: string): Promise<void> => {
  for (;;) {
    const account = await getAccount(email);
    if (!account) return;
    const { plan } = account;
    const programIds = await programIdsOf(email);
    await forEachConcurrent(programIds, maxConcurrency, (programId) => setProgramPlan(programId, plan));
    await updateTokens(programIds, { plan });
    if ((await getAccount(email))?.plan === plan) return;
  }
};

/** Also covers keys that are being created. Repeating it finishes what a crash left. */
export const setPlan = async (email: string, plan: Plan): Promise<void> => {
  const owner = ownerEmailOf(email);
  await putAccount({ email: owner, plan });
  await tellOfPlan(owner);
};
