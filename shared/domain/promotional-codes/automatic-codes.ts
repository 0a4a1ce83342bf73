import { randomInt } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { codeText } from '../../contract/promotional-code-record.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { partition } from '../../platform/table/partition.ts';
import { RecordBoundReached } from '../../platform/table/record-bound.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { automaticCoupons, coupons } from '../coupons/repository.ts';
import type { StoredCoupon } from '../coupons/rules.ts';
import { withinPlan } from '../programs/record-bound.ts';
import { programs } from '../programs/repository.ts';
import { type CodeGeneration, generateCode } from './rules.ts';
import { type CodeTerms, unrestrictedTerms, writeNewCode } from './write-new-code.ts';

type Rule = NonNullable<StoredCoupon['autoCouponRule']>;
interface Owners {
  coupon: StoredCoupon;
  affiliate: StoredAffiliate;
}

const couponsInOneMessage = 10;
const maxConcurrency = 5;
const maxDraws = 8;
const lastDraws = 4;
const fewestLastRandomChars = 8;
const dayMilliseconds = 24 * 60 * 60 * 1000;
/** Longer than queue and dead letters keep a message. */
const markSeconds = 35 * 24 * 60 * 60;

class MadeBefore extends Error {}

/** The mark that creates an affiliate's code once, even if the code was deleted since. */
const mark = (programId: string, couponId: string, affiliateId: string, now: Date): Write => ({
  Put: {
    TableName: deployedName('records'),
    Item: {
      pk: partition(programId, 'PROMOTIONAL_CODE', 'AUTOMATIC', couponId),
      sk: affiliateId,
      ttl: Math.ceil(now.getTime() / 1000) + markSeconds,
    },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
  refusal: () => new MadeBefore(),
});

/** First the rule's code, then with random characters, then only these. */
const draws = function* (rule: Rule, owners: Owners): Generator<string> {
  const draw = (changes: Partial<CodeGeneration> = {}) => generateCode({ ...rule, ...changes }, owners, randomInt);
  yield draw();
  const codeStructure = { ...rule.codeStructure, randomChars: true };
  for (let times = 1; times < maxDraws; times++) yield draw({ codeStructure });
  const randomCharsLength = Math.max(rule.randomCharsLength, fewestLastRandomChars);
  for (let times = 0; times < lastDraws; times++)
    yield draw({ codeStructure: { randomChars: true }, randomCharsLength });
};

/** Nobody can correct a clash or a long code, and every affiliate must get one. */
const textsOf = function* (rule: Rule, owners: Owners): Generator<string> {
  for (const text of draws(rule, owners)) if (codeText.safeParse(text).success) yield text;
};

/** An applicant joins when approved. */
const joinedAt = ({ application, createdAt }: StoredAffiliate): number =>
  Date.parse(application?.decidedAt ?? createdAt);

const termsOf = ({ active, expiresAfterDays }: Rule, affiliate: StoredAffiliate): CodeTerms => ({
  ...unrestrictedTerms,
  active,
  expiresAt: expiresAfterDays ? new Date(joinedAt(affiliate) + expiresAfterDays * dayMilliseconds).toISOString() : null,
});

const createOne = async (programId: string, coupon: StoredCoupon, affiliate: StoredAffiliate, now: Date) => {
  const { autoCouponRule: rule, automaticSince } = coupon;
  // Only affiliates created after the rule began get a code.
  if (!rule?.enabled || automaticSince === null || affiliate.createdAt < automaticSince) return;
  const owners = { coupon, affiliate };
  const together = () => [mark(programId, coupon.id, affiliate.id, now)];
  try {
    const source = { texts: textsOf(rule, owners), now, together, mayRead: false };
    await writeNewCode(programId, owners, termsOf(rule, affiliate), source);
  } catch (error) {
    const isGone = error instanceof ApiError && error.code === 'not_found';
    // Nobody can be told that the program is full.
    const isExpected = isGone || error instanceof MadeBefore || error instanceof RecordBoundReached;
    if (!isExpected) throw error;
  }
};

/** Handles one page of coupons and returns where to continue; safe to repeat. docs/behavior.md#automatic-codes */
export const createAutomaticCodes = async (
  programId: string,
  affiliateId: string,
  after: string | undefined,
  now: Date,
): Promise<string | undefined> => {
  const affiliate = await affiliates.get(programId, affiliateId);
  if (!affiliate) return undefined;
  const [program, page] = await Promise.all([
    programs.get(programId, programId),
    coupons.page(programId, { limit: couponsInOneMessage, after }, automaticCoupons),
  ]);
  const createAll = () =>
    forEachConcurrent(page.items, maxConcurrency, (coupon) => createOne(programId, coupon, affiliate, now));
  await (program ? withinPlan(program, { now, sentence: 'The program is full' }, createAll) : createAll());
  return page.next;
};
