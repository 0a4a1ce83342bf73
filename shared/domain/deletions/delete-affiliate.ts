import { begin } from '../../platform/concurrency/begin.ts';
import { deleteRecord } from '../../platform/table/edit.ts';
import { affiliates, findAffiliate } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { expireTotalsWrite } from '../affiliates/totals.ts';
import { staysOutOfPayoutBatches } from '../payouts/unpaid.ts';

const namedBy = (idOrEmail: string) =>
  idOrEmail.includes('@') ? { affiliateEmail: idOrEmail } : { affiliateId: idOrEmail };

/** By UUID or email; 404, or 409 in an unpaid payout batch. docs/behavior.md#deleting-an-affiliate */
export const deleteAffiliate = (
  programId: string,
  idOrEmail: string,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredAffiliate> => {
  const named = namedBy(idOrEmail);
  let staysOut: ReturnType<typeof staysOutOfPayoutBatches> | undefined;
  const find = () => {
    // An id needs no other read first.
    if (named.affiliateId) staysOut = begin(staysOutOfPayoutBatches(programId, named.affiliateId));
    return findAffiliate(programId, named);
  };
  return deleteRecord(affiliates, { programId, find, noun: 'Affiliate', expectedVersions }, async (affiliate) => [
    affiliates.tombstoneWrite(programId, affiliate, now),
    expireTotalsWrite(programId, affiliate.id, now),
    await (staysOut ?? staysOutOfPayoutBatches(programId, affiliate.id)),
  ]);
};
