import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { MailSettings } from '../../contract/mail-settings.ts';
import { allProgramsEntry } from '../../contract/needs.ts';
import { attributions } from '../../contract/program.ts';
import { ReviewRules } from '../../contract/review.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { updateItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError, storedFields } from '../../platform/table/keys.ts';
import { forgetRoom } from '../../platform/table/record-bound.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { slotOf } from '../../platform/table/slots.ts';
import { updateAlone, type Write } from '../../platform/table/transaction.ts';
import type { Counts } from '../access/rate-limit.ts';
import { type AccessToken, tokenKey } from '../access/token.ts';
import { Account, type Plan, programIdsOf } from './accounts.ts';
import { ApplicationForm } from './application-form.ts';
import { Reveals } from './reveals.ts';

export const StoredProgram = z.object({
  ...storedFields,
  name: z.string(),
  currency: z.string(),
  commissionRate: z.number(),
  baseUrls: z.array(z.string()),
  /** See docs/behavior.md#self-referral */
  allowSelfReferral: z.boolean().default(false),
  /** Read by `reviewRulesOf`. */
  reviewRules: ReviewRules.optional(),
  /** Such as `#ffe600`; the standard color without one. */
  accentColor: z.string().nullish(),
  /** An IANA name. */
  timeZone: z.string().default('UTC'),
  handle: z.string().nullable().default(null),
  /** Which click a browser keeps, and how many days a click is credited. docs/behavior.md#click-ids */
  attribution: z.enum(attributions).default('LAST_CLICK'),
  attributionDays: z.number().default(60),
  showsCodes: z.boolean().default(false),
  mails: MailSettings.optional(),
  portalIsOn: z.boolean().default(true),
  logoUrl: z.string().nullable().default(null),
  /** Of pages that may show the portal in a frame, such as `https://shop.example`. */
  embeddingOrigins: z.array(z.string()).default([]),
  applicationForm: ApplicationForm.nullable().default(null),
  ownerEmail: z.string(),
  /** The plan of the owner's account, which `setPlan` keeps up to date. */
  plan: Account.shape.plan.default('BUSINESS'),
});
export type StoredProgram = z.infer<typeof StoredProgram>;

export const StoredApiKey = z.object({
  ...storedFields,
  name: z.string(),
  tokenHash: z.string(),
  lastFour: z.string(),
  kind: z.enum(['API', 'CONNECTOR']),
  platforms: z.array(z.string()),
  /** The slot that bounds the number of keys; the connector token has none. */
  slot: z.number().optional(),
  /** The email of who made it; null for the operator, and for keys from before this was kept. */
  createdBy: z.string().nullable().default(null),
  sealedKey: z.string(),
  seenBy: Reveals,
});
export type StoredApiKey = z.infer<typeof StoredApiKey>;

/** See docs/behavior.md#connecting-a-platform */
const theConnection = {
  value: 'CONNECTION',
  refusal: () => new ConcurrentModificationError('The program was connected in between'),
};

export const programs = recordStore({
  table: 'records',
  kind: 'PROGRAM',
  keepsActor: true,
  schema: StoredProgram,
  indexes: () => [allProgramsEntry],
});
export const apiKeys = recordStore({
  table: 'records',
  kind: 'API_KEY',
  keepsActor: true,
  schema: StoredApiKey,
  uniques: {
    CONNECTION: ({ kind }) => (kind === 'CONNECTOR' ? theConnection : undefined),
    SLOT: ({ slot }) => (slot === undefined ? undefined : slotOf(slot)),
  },
});

/** The connector token's key, or undefined. */
export const findConnection = (programId: string): Promise<StoredApiKey | undefined> =>
  apiKeys.find(programId, 'CONNECTION', theConnection.value);

export const getProgram = async (programId: string): Promise<StoredProgram> => {
  const program = await programs.get(programId, programId);
  if (!program) throw new ApiError('program_not_found');
  return program;
};

export const programsOf = async (email: string): Promise<StoredProgram[]> => {
  const ids = await programIdsOf(email);
  const found = await Promise.all(ids.map((id) => programs.get(id, id)));
  return found.flatMap((program) => (program ? [program] : [])).sort((one, other) => (one.id < other.id ? 1 : -1));
};

export const allApiKeys = async (programId: string): Promise<StoredApiKey[]> => {
  const keys: StoredApiKey[] = [];
  for await (const key of apiKeys.all(programId)) keys.push(key);
  return keys;
};

export const createTokenWrite = (tokenHash: string, token: AccessToken, counts: Counts = {}): Write => ({
  Put: {
    TableName: deployedName('traffic'),
    Item: { ...tokenKey(tokenHash), ...token, counts },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new Error('A token with this hash exists'),
});

/** Not an edit: the version stays. */
export const setProgramPlan = (programId: string, plan: Plan): Promise<void> =>
  retryOnConflict(async () => {
    const program = await programs.get(programId, programId);
    if (!program || program.plan === plan) return;
    // Nothing was counted on the BUSINESS plan.
    if (plan === 'FREE') await forgetRoom(programId, new Date());
    for (const write of programs.updateWrites(
      programId,
      program,
      { ...program, plan },
      { isEdit: false, saysWho: true },
    ))
      await updateAlone(write);
  });

type TokenChanges = Partial<Omit<AccessToken, 'programId' | 'keyId'>>;

/** A deleted token stays deleted. */
const updateToken = async (tokenHash: string, changes: TokenChanges): Promise<void> => {
  const entries = Object.entries(changes);
  await updateItem('traffic', tokenKey(tokenHash), {
    UpdateExpression: `SET ${entries.map((_, at) => `#n${at} = :v${at}`).join(', ')}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: Object.fromEntries(entries.map(([name], at) => [`#n${at}`, name])),
    ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], at) => [`:v${at}`, value])),
  });
};

const maxConcurrency = 10;

export const updateTokens = async (programIds: readonly string[], changes: TokenChanges): Promise<void> => {
  const keys: StoredApiKey[] = [];
  await forEachConcurrent(programIds, maxConcurrency, async (programId) => {
    keys.push(...(await allApiKeys(programId)));
  });
  await forEachConcurrent(keys, maxConcurrency, ({ tokenHash }) => updateToken(tokenHash, changes));
};
