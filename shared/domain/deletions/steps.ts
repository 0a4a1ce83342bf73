import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { ConcurrentModificationError, type IndexEntry, type StoredRecord } from '../../platform/table/keys.ts';
import type { RecordStore } from '../../platform/table/record-store.ts';
import { type Write, writeInTurn, writeTogether } from '../../platform/table/transaction.ts';
import { links, linksOfAffiliate } from '../affiliates/link-repository.ts';
import { disconnectLink } from '../links/connections.ts';
import { deleteCodeWrites } from '../promotional-codes/delete-promotional-code.ts';
import { codesOfAffiliate, codesOfCoupon, promotionalCodes } from '../promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';
import { referrals, referralsOfAffiliate, referralsOfLink } from '../referrals/repository.ts';
import { adjustments, openAdjustmentsOf } from '../sales/adjustments.ts';
import { deleteSaleWrites } from '../sales/delete-sale.ts';
import { sales, salesOfAffiliate, salesOfLink, salesOfReferral } from '../sales/repository.ts';
import type { StoredSale } from '../sales/rules.ts';

interface Deleted {
  programId: string;
  id: string;
}

/** Handles one page; returns where to continue, or undefined at the end. */
export type Step = (deleted: Deleted, after: string | undefined, now: Date) => Promise<string | undefined>;

const recordsInOnePage = 100;
const maxConcurrency = 20;

interface Belonging<Stored extends StoredRecord> {
  of: (id: string) => IndexEntry;
  /** Every message may come twice. */
  concerns: (record: Stored, id: string) => boolean;
  /** Throws ConcurrentModificationError if the record changed since it was read. */
  act: (programId: string, record: Stored, now: Date, isPrepared: boolean) => Promise<void>;
  /** Does a part of `act` for a page, in fewer calls; returns the ids of the records that need it no more. */
  prepare?: (programId: string, records: readonly Stored[], now: Date) => Promise<ReadonlySet<string>>;
}

/** The record goes last, after its unique values. No transaction is needed: its parent is gone. */
const deleteLast = ([record, ...others]: readonly Write[]): Promise<void> =>
  writeInTurn([...others, ...(record ? [record] : [])]);

const nothingPrepared: ReadonlySet<string> = new Set();

const step =
  <Stored extends StoredRecord>(store: RecordStore<Stored>, { of, concerns, act, prepare }: Belonging<Stored>): Step =>
  async ({ programId, id }, after, now) => {
    const request = { limit: recordsInOnePage, after };
    const page = await store.page(programId, request, of(id), (record) => concerns(record, id));
    const prepared = prepare ? await prepare(programId, page.items, now) : nothingPrepared;
    await forEachConcurrent(page.items, maxConcurrency, (found) => {
      let read: Stored | undefined = found;
      return retryOnConflict(async () => {
        const record = read ?? (await store.get(programId, found.id));
        const isPrepared = record === found && prepared.has(found.id);
        read = undefined;
        if (record && concerns(record, id)) await act(programId, record, now, isPrepared);
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

/** A code may have two unique values and has one tombstone of up to 100 KB; a transaction takes 100 items and 4 MB. */
const codesInOneTransaction = 25;

/**
 * Writes the tombstones of codes and frees their unique values, 25 codes a call. A code goes on its own where it has shards
 * of a cap, where it has an affiliate (one more index entry: with the transaction it would cost more than 9 units), and
 * where one of the 25 changed or was worked on before.
 */
const prepareCodes = async (
  programId: string,
  codes: readonly StoredPromotionalCode[],
  now: Date,
): Promise<ReadonlySet<string>> => {
  const prepared = new Set<string>();
  const uncapped = codes.filter(({ cappedSince, affiliateId }) => cappedSince === null && affiliateId === null);
  const parts = Array.from({ length: Math.ceil(uncapped.length / codesInOneTransaction) }, (_, at) =>
    uncapped.slice(at * codesInOneTransaction, (at + 1) * codesInOneTransaction),
  );
  await Promise.all(
    parts.map(async (part) => {
      const removals = await Promise.all(part.map((code) => deleteCodeWrites(programId, code, now)));
      try {
        await writeTogether(removals.flatMap(([_record, ...others]) => others));
        for (const { id } of part) prepared.add(id);
      } catch (error) {
        if (!(error instanceof ConcurrentModificationError)) throw error;
      }
    }),
  );
  return prepared;
};

const codesOfDeletedCoupon = step(promotionalCodes, {
  of: codesOfCoupon,
  concerns: (code, couponId) => code.couponId === couponId,
  prepare: prepareCodes,
  act: async (programId, code, now, isPrepared) =>
    isPrepared
      ? writeInTurn(promotionalCodes.deleteWrites(programId, code).slice(0, 1))
      : deleteLast(await deleteCodeWrites(programId, code, now)),
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
  act: (programId, link) => deleteLast(links.deleteWrites(programId, link)),
});

const referralsOfDeletedAffiliate = step(referrals, {
  of: referralsOfAffiliate,
  concerns: (referral, affiliateId) => referral.affiliateId === affiliateId,
  act: (programId, referral) => deleteLast(referrals.deleteWrites(programId, referral)),
});

const salesOfDeletedAffiliate = step(sales, {
  of: salesOfAffiliate,
  concerns: (sale, affiliateId) => sale.affiliateId === affiliateId && isUnpaid(sale),
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
  LINK: [referralsOfDeletedLink, salesOfDeletedLink, connectionsOfDeletedLink],
} as const satisfies Record<string, readonly Step[]>;
