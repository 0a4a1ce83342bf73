import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { retryFromRead } from '../../platform/table/edit.ts';
import type { IndexEntry, StoredRecord } from '../../platform/table/keys.ts';
import type { RecordStore } from '../../platform/table/record-store.ts';
import { type Write, writeInTurn, writeTogether } from '../../platform/table/transaction.ts';
import { links, linksOfAffiliate } from '../affiliates/link-repository.ts';
import { deleteCodeWrites } from '../promotional-codes/delete-promotional-code.ts';
import { disconnectLink } from '../promotional-codes/link-connections.ts';
import { codesOfAffiliate, codesOfCoupon, promotionalCodes } from '../promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';
import { referrals, referralsOfAffiliate, referralsOfLink } from '../referrals/repository.ts';
import { adjustments, openAdjustmentsOf } from '../sales/adjustments.ts';
import { deleteSaleWrites } from '../sales/delete-sale.ts';
import { sales, salesOfAffiliate, salesOfLink, salesOfReferral } from '../sales/repository.ts';
import type { StoredSale } from '../sales/rules.ts';
import { type Deletion, deleteInGroups } from './groups.ts';
import { affiliatesOfDeletedGroup, endOfMove } from './move-affiliates.ts';
import type { Step } from './step.ts';

const recordsInOnePage = 100;
const maxConcurrency = 20;

interface Belonging<Stored extends StoredRecord> {
  of: (id: string) => IndexEntry;
  /** Every message may come twice. */
  concerns: (record: Stored, id: string) => boolean;
  /** Throws ConcurrentModificationError if the record changed since it was read. */
  act: (programId: string, record: Stored, now: Date) => Promise<void>;
  /** How `act` deletes a record, in parts that many share a call for; undefined if it has to go on its own. */
  deletion?: (programId: string, record: Stored, now: Date) => Promise<Deletion | undefined>;
}

/** The record goes last, after its unique values. No transaction is needed: its parent is gone. */
const deleteLast = ([record, ...others]: readonly Write[]): Promise<void> =>
  writeInTurn([...others, ...(record ? [record] : [])]);

const step =
  <Stored extends StoredRecord>(store: RecordStore<Stored>, { of, concerns, act, deletion }: Belonging<Stored>): Step =>
  async ({ programId, id }, after, now) => {
    // Every write has a condition on what was read, and the sweep finds what was not.
    const request = { limit: recordsInOnePage, after, isConsistent: false };
    const page = await store.page(programId, request, of(id), (record) => concerns(record, id));
    const deletions = deletion ? await Promise.all(page.items.map((found) => deletion(programId, found, now))) : [];
    const gone = await deleteInGroups(deletions.filter((made) => made !== undefined));
    const left = page.items.filter((found) => !gone.has(found.id));
    await forEachConcurrent(left, maxConcurrency, async (found) => {
      const readAgain = () => store.get(programId, found.id);
      await retryFromRead(found, readAgain, async (record) => {
        if (concerns(record, id)) await act(programId, record, now);
      });
    });
    return page.next;
  };

/** Paid sales, and those about to be paid, are history and stay. */
const isUnpaid = (sale: StoredSale): boolean => sale.payoutBatchId === null && sale.paidAt === null;

/** A transaction, because the sale may enter a payout batch at this moment. */
const removeSale = async (programId: string, sale: StoredSale, now: Date): Promise<void> => {
  const writes = await deleteSaleWrites(programId, sale, now);
  await (writes.length === 1 ? writeInTurn(writes) : writeTogether(writes));
};

/** A transaction costs one unit more: too many for a sale in more indexes than that of its affiliate or its referral. */
const saleDeletion = async (programId: string, sale: StoredSale, now: Date): Promise<Deletion> => {
  const { id, affiliateId, referralId, promotionalCodeId, affiliateLinkId } = sale;
  const writes = await deleteSaleWrites(programId, sale, now);
  const owners = [affiliateId, referralId, promotionalCodeId, affiliateLinkId].filter((owner) => owner !== null);
  const isAlone = writes.length === 1 && owners.length > 1;
  return isAlone ? { id, together: [], afterwards: writes } : { id, together: writes, afterwards: [] };
};

/** A code with an affiliate is in one index more, and goes after the transaction: all of it there would cost over 9 units. */
const codeDeletion = async (
  programId: string,
  code: StoredPromotionalCode,
  now: Date,
): Promise<Deletion | undefined> => {
  const { id, affiliateId, cappedSince } = code;
  if (cappedSince !== null) return undefined;
  const writes = await deleteCodeWrites(programId, code, now);
  return affiliateId === null
    ? { id, together: writes, afterwards: [] }
    : { id, together: writes.slice(1), afterwards: writes.slice(0, 1) };
};

const codesOfDeletedCoupon = step(promotionalCodes, {
  of: codesOfCoupon,
  concerns: (code, couponId) => code.couponId === couponId,
  deletion: codeDeletion,
  act: async (programId, code, now) => deleteLast(await deleteCodeWrites(programId, code, now)),
});

const codesOfDeletedAffiliate = step(promotionalCodes, {
  of: codesOfAffiliate,
  concerns: (code, affiliateId) => code.affiliateId === affiliateId,
  act: (programId, code, now) =>
    writeTogether(
      promotionalCodes.updateWrites(programId, code, { ...code, affiliateId: null, updatedAt: now.toISOString() }),
    ),
});

const linksOfDeletedAffiliate = step(links, {
  of: linksOfAffiliate,
  concerns: (link, affiliateId) => link.affiliateId === affiliateId,
  act: (programId, link, now) =>
    deleteLast([...links.deleteWrites(programId, link), links.deletionWrite(programId, link.id, now)]),
});

const referralsOfDeletedAffiliate = step(referrals, {
  of: referralsOfAffiliate,
  concerns: (referral, affiliateId) => referral.affiliateId === affiliateId,
  act: (programId, referral, now) =>
    deleteLast([...referrals.deleteWrites(programId, referral), referrals.deletionWrite(programId, referral.id, now)]),
});

const salesOfDeletedAffiliate = step(sales, {
  of: salesOfAffiliate,
  concerns: (sale, affiliateId) => sale.affiliateId === affiliateId && isUnpaid(sale),
  deletion: saleDeletion,
  act: removeSale,
});

/** Open adjustments cannot be collected any more; settled ones are history. */
const adjustmentsOfDeletedAffiliate = step(adjustments, {
  of: openAdjustmentsOf,
  concerns: (adjustment, affiliateId) => adjustment.affiliateId === affiliateId && adjustment.payoutBatchId === null,
  act: (programId, adjustment) => deleteLast(adjustments.deleteWrites(programId, adjustment)),
});

const salesOfDeletedReferral = step(sales, {
  of: salesOfReferral,
  concerns: (sale, referralId) => sale.referralId === referralId && isUnpaid(sale),
  deletion: saleDeletion,
  act: removeSale,
});

const referralsOfDeletedLink = step(referrals, {
  of: referralsOfLink,
  concerns: (referral, linkId) => referral.affiliateLinkId === linkId,
  act: (programId, referral, now) =>
    writeTogether(
      referrals.updateWrites(programId, referral, { ...referral, affiliateLinkId: null, updatedAt: now.toISOString() }),
    ),
});

const salesOfDeletedLink = step(sales, {
  of: salesOfLink,
  concerns: (sale, linkId) => sale.affiliateLinkId === linkId,
  act: (programId, sale, now) =>
    writeTogether(
      sales.updateWrites(programId, sale, { ...sale, affiliateLinkId: null, updatedAt: now.toISOString() }),
    ),
});

const connectionsOfDeletedLink: Step = ({ programId, id }, after) => disconnectLink(programId, id, after);

/** In order. Links go last: the referrals and sales that point to them are gone by then. docs/behavior.md#cascades */
export const stepsAfterDeletion = {
  COUPON: [codesOfDeletedCoupon],
  AFFILIATE: [
    referralsOfDeletedAffiliate,
    salesOfDeletedAffiliate,
    adjustmentsOfDeletedAffiliate,
    codesOfDeletedAffiliate,
    linksOfDeletedAffiliate,
  ],
  REFERRAL: [salesOfDeletedReferral],
  GROUP: [affiliatesOfDeletedGroup, endOfMove],
  LINK: [referralsOfDeletedLink, salesOfDeletedLink, connectionsOfDeletedLink],
} as const satisfies Record<string, readonly Step[]>;
