import { expect, it } from 'vitest';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { couponResponses } from '../../../shared/domain/promotional-codes/coupon-responses.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { costOf } from '../../support/capacity.ts';
import { newProgram, now } from '../../support/domain.ts';
import { storeAll, unnoticed } from '../../support/sales.ts';
import { makeStoredAffiliate, makeStoredCode, makeStoredCoupon } from '../../support/stored-records.ts';

const after = (milliseconds: number): Date => new Date(now.getTime() + milliseconds);
const stamps = (at: Date) => ({ id: newRecordId(at), createdAt: at.toISOString(), updatedAt: at.toISOString() });

/** Coupons and codes of affiliates, past the actions, in the order of `couponOf`. */
const storeCodes = async (count: number, couponOf: (made: number) => number, affiliateCount: number) => {
  const program = newProgram();
  const coupons = Array.from({ length: 100 }, () => makeStoredCoupon(stamps(now)));
  const owners = Array.from({ length: affiliateCount }, (_, at) =>
    makeStoredAffiliate({ ...stamps(now), firstName: `First ${at}`, email: `owner-${at}@example.com` }),
  );
  const codes = Array.from({ length: count }, (_, made) =>
    makeStoredCode({
      ...stamps(after(made)),
      code: `CODE-${made}`,
      couponId: coupons[couponOf(made)]?.id ?? '',
      affiliateId: owners[made % affiliateCount]?.id ?? null,
    }),
  );
  const items = [
    ...owners.flatMap((owner) => affiliates.createWrites(program.id, owner)[0] ?? []),
    ...codes.flatMap((code) => promotionalCodes.createWrites(program.id, code)[0] ?? []),
  ];
  await storeAll(unnoticed(items));
  const newestOf = (couponId: string) =>
    codes
      .filter((code) => code.couponId === couponId)
      .toReversed()
      .slice(0, 10)
      .map(({ code, affiliateId }) => [code, owners.find(({ id }) => id === affiliateId)?.email]);
  return { program, coupons, expected: coupons.map(({ id }) => newestOf(id)) };
};

type Responses = Awaited<ReturnType<typeof couponResponses>>;
const shownIn = (responses: Responses) =>
  responses.map(({ promotionalCodes: shown }) => shown.map(({ code, affiliate }) => [code, affiliate?.email]));

it('a list of 100 coupons with 1,200 codes of 300 affiliates takes at most ten calls', async () => {
  const { program, coupons, expected } = await storeCodes(1200, (made) => made % 100, 300);
  let responses: Responses = [];
  const { calls } = await costOf(async () => {
    responses = await couponResponses(program, coupons, now);
  });
  // One more is the list of the coupons itself.
  expect(calls).toBeLessThanOrEqual(9);
  expect(shownIn(responses)).toEqual(expected);
});

it('coupons show their newest codes where one of them has more than a list reads at once', async () => {
  const few = 300;
  const { program, coupons, expected } = await storeCodes(few + 1050, (made) => (made < few ? 1 + (made % 99) : 0), 20);
  expect(shownIn(await couponResponses(program, coupons, now))).toEqual(expected);
});
