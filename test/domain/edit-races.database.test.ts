import { describe, expect, it } from 'vitest';
import { updateAffiliate as affiliateUpdate } from '../../shared/contract/affiliates.ts';
import { updateCoupon as couponUpdate } from '../../shared/contract/coupons.ts';
import { updatePayoutBatch as batchUpdate } from '../../shared/contract/payout-batches.ts';
import { updatePromotionalCode as codeUpdate } from '../../shared/contract/promotional-codes.ts';
import { updateReferral as referralUpdate } from '../../shared/contract/referrals.ts';
import { updateSale as saleUpdate } from '../../shared/contract/sales.ts';
import { createLink } from '../../shared/domain/affiliates/create-link.ts';
import { deleteLink } from '../../shared/domain/affiliates/delete-link.ts';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { renameLink } from '../../shared/domain/affiliates/rename-link.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { updateAffiliate } from '../../shared/domain/affiliates/update-affiliate.ts';
import { deleteCoupon } from '../../shared/domain/coupons/delete-coupon.ts';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { updateCoupon } from '../../shared/domain/coupons/update-coupon.ts';
import { deleteAffiliate } from '../../shared/domain/deletions/delete-affiliate.ts';
import { deleteReferral } from '../../shared/domain/deletions/delete-referral.ts';
import { deletePayoutBatch } from '../../shared/domain/payouts/delete-payout-batch.ts';
import { payoutBatches } from '../../shared/domain/payouts/repository.ts';
import { updatePayoutBatch } from '../../shared/domain/payouts/update-payout-batch.ts';
import { deletePromotionalCode } from '../../shared/domain/promotional-codes/delete-promotional-code.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { updatePromotionalCode } from '../../shared/domain/promotional-codes/update-promotional-code.ts';
import { updateReferral } from '../../shared/domain/referrals/change-referral.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { deleteSale } from '../../shared/domain/sales/delete-sale.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { updateSale } from '../../shared/domain/sales/update-sale.ts';
import type { StoredRecord } from '../../shared/platform/table/keys.ts';
import {
  bodyOf,
  newProgram,
  now,
  outcomeOf,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeReferral,
  storeSale,
  type TestProgram,
} from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { createBatch } from '../support/payout-batches.ts';

// What is read for an edit or a deletion may be gone, or another one, when it is written.

interface Editable {
  record: string;
  store: { get: (programId: string, id: string) => Promise<StoredRecord | undefined> };
  create: (program: TestProgram) => Promise<{ id: string }>;
  /** Two edits of different fields, and what the record has after both of them. */
  edits: readonly [Edit, Edit];
  both: object;
  remove: (program: TestProgram, id: string, versions?: number[]) => Promise<unknown>;
}
type Edit = (program: TestProgram, id: string, versions?: number[]) => Promise<unknown>;

const affiliateEdit =
  (fields: object): Edit =>
  ({ id: programId }, affiliateId, versions) =>
    updateAffiliate(programId, bodyOf(affiliateUpdate, { affiliateId, ...fields }), versions, now);
const couponEdit =
  (fields: object): Edit =>
  ({ id: programId }, couponId, versions) =>
    updateCoupon(programId, bodyOf(couponUpdate, { couponId, ...fields }), versions, now);
const codeEdit =
  (fields: object): Edit =>
  (program, promotionalCodeId, versions) =>
    updatePromotionalCode(program, bodyOf(codeUpdate, { promotionalCodeId, ...fields }), versions, now);
const referralEdit =
  (fields: object): Edit =>
  ({ id: programId }, referralId, versions) =>
    updateReferral(programId, bodyOf(referralUpdate, { referralId, ...fields }), versions, now);
const saleEdit =
  (fields: object): Edit =>
  (program, id, versions) =>
    updateSale(program, bodyOf(saleUpdate, { saleId: Number(id), ...fields }), versions, now);
const batchEdit =
  (fields: object): Edit =>
  ({ id: programId }, payoutBatchId, versions) =>
    updatePayoutBatch(programId, bodyOf(batchUpdate, { payoutBatchId, ...fields }), versions, now);
const linkEdit =
  (newLink: string): Edit =>
  ({ id: programId }, id, versions) =>
    renameLink(programId, { id, newLink }, versions, now);

const createdLink = async (program: TestProgram) => {
  const { id: affiliateId } = await storeAffiliate(program);
  return createLink(program.id, { affiliateId, link: 'summer' }, now);
};

const automaticRule = {
  enabled: true,
  codeStructure: { randomChars: true },
  prefix: '',
  randomCharsLength: 8,
  active: true,
};

const editables: readonly Editable[] = [
  {
    record: 'an affiliate',
    store: affiliates,
    create: (program) => storeAffiliate(program),
    edits: [affiliateEdit({ email: 'one@example.com' }), affiliateEdit({ firstName: 'Zoë' })],
    both: { email: 'one@example.com', firstName: 'Zoë' },
    remove: ({ id }, affiliateId, versions) => deleteAffiliate(id, affiliateId, versions, now),
  },
  {
    record: 'a coupon',
    store: coupons,
    create: async (program) => {
      const coupon = await storeCoupon(program, { externalId: 'spring', maxRedemptions: 3 });
      return updateCoupon(
        program.id,
        bodyOf(couponUpdate, { couponId: coupon.id, autoCouponRule: automaticRule }),
        undefined,
        now,
      );
    },
    edits: [couponEdit({ name: 'Summer' }), couponEdit({ valid: false })],
    both: { name: 'Summer', enabled: false },
    remove: ({ id }, couponId, versions) => deleteCoupon(id, couponId, versions, now),
  },
  {
    record: 'a promotional code',
    store: promotionalCodes,
    create: async (program) =>
      storeCode(program, await storeCoupon(program), { externalId: 'code-1', maxRedemptions: 3 }),
    edits: [codeEdit({ code: 'SUMMER' }), codeEdit({ active: false, externalId: 'code-2' })],
    both: { code: 'SUMMER', active: false, externalId: 'code-2' },
    remove: ({ id }, codeId, versions) => deletePromotionalCode(id, codeId, versions, now),
  },
  {
    record: 'a link',
    store: links,
    create: createdLink,
    edits: [linkEdit('autumn'), linkEdit('winter')],
    both: { link: 'autumn' },
    remove: ({ id: programId }, id, versions) => deleteLink(programId, { id }, versions, now),
  },
  {
    record: 'a referral',
    store: referrals,
    create: (program) => storeReferral(program, { referredUserExternalId: 'user-1' }),
    edits: [referralEdit({ name: 'Priya' }), referralEdit({ plan: 'pro', referredUserExternalId: 'user-2' })],
    both: { name: 'Priya', plan: 'pro', referredUserExternalId: 'user-2' },
    remove: ({ id }, referralId, versions) => deleteReferral(id, referralId, versions, now),
  },
  {
    record: 'a sale',
    store: sales,
    create: (program) =>
      storeSale(program, crypto.randomUUID(), { externalId: 'order-1', externalInvoiceId: 'invoice-1' }),
    edits: [saleEdit({ name: 'Priya' }), saleEdit({ externalId: 'order-2', externalInvoiceId: 'invoice-2' })],
    both: { name: 'Priya', externalId: 'order-2', externalInvoiceId: 'invoice-2' },
    remove: ({ id }, saleId, versions) => deleteSale(id, Number(saleId), versions, now),
  },
  {
    record: 'a payout batch',
    store: payoutBatches,
    create: (program) => createBatch(program),
    edits: [batchEdit({ name: 'March' }), batchEdit({ name: 'April' })],
    both: { name: 'March' },
    remove: ({ id }, batchId, versions) => deletePayoutBatch(id, batchId, versions, now),
  },
];

/** A record in a program of its own, and what the table has of it. */
const begin = async ({ create, store }: Editable) => {
  const program = newProgram();
  const { id } = await create(program);
  const stored = async () => {
    const found = await store.get(program.id, id);
    if (!found) throw new Error(`${id} is gone`);
    return found;
  };
  return { program, id, isThere: async () => (await store.get(program.id, id)) !== undefined, stored };
};

describe('race:', () => {
  it.each(editables)('an edit of $record overtaken by another one keeps both', async (editable) => {
    const { program, id, stored } = await begin(editable);
    const { version } = await stored();
    const [first, second] = editable.edits;
    await interrupted(
      () => first(program, id),
      () => second(program, id),
    );
    expect(await stored()).toMatchObject({ ...editable.both, version: version + 2 });
  });

  it.each(editables)('an edit of $record with If-Match overtaken by another one is refused', async (editable) => {
    const { program, id, stored } = await begin(editable);
    const { version } = await stored();
    const [first, second] = editable.edits;
    const outcome = await outcomeOf(() =>
      interrupted(
        () => first(program, id, [version]),
        () => second(program, id),
      ),
    );
    expect(outcome).toEqual({ status: 412 });
    expect((await stored()).version).toBe(version + 1);
  });

  it.each(editables)(
    'an edit of $record overtaken by its deletion is a 404, and nothing comes back',
    async (editable) => {
      const { program, id, isThere } = await begin(editable);
      const outcome = await outcomeOf(() =>
        interrupted(
          () => editable.edits[0](program, id),
          () => editable.remove(program, id),
        ),
      );
      expect(outcome).toEqual({ status: 404 });
      expect(await isThere()).toBe(false);
    },
  );

  it.each(editables)('a deletion of $record overtaken by an edit deletes what was edited', async (editable) => {
    const { program, id, isThere } = await begin(editable);
    await interrupted(
      () => editable.remove(program, id),
      () => editable.edits[0](program, id),
    );
    expect(await isThere()).toBe(false);
  });

  it.each(editables)('a deletion of $record with If-Match overtaken by an edit is refused', async (editable) => {
    const { program, id, stored } = await begin(editable);
    const { version } = await stored();
    const outcome = await outcomeOf(() =>
      interrupted(
        () => editable.remove(program, id, [version]),
        () => editable.edits[1](program, id),
      ),
    );
    expect(outcome).toEqual({ status: 412 });
    expect((await stored()).version).toBe(version + 1);
  });

  it.each(editables)('of two deletions of $record one is a 404', async (editable) => {
    const { program, id, isThere } = await begin(editable);
    const outcome = await outcomeOf(() =>
      interrupted(
        () => editable.remove(program, id),
        () => editable.remove(program, id),
      ),
    );
    expect(outcome).toEqual({ status: 404 });
    expect(await isThere()).toBe(false);
  });
});
