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
): Promise<StoredAffiliate> =>
  deleteRecord(
    affiliates,
    { programId, find: () => findAffiliate(programId, namedBy(idOrEmail)), noun: 'Affiliate', expectedVersions },
    async (affiliate) => [
      affiliates.tombstoneWrite(programId, affiliate, now),
      expireTotalsWrite(programId, affiliate.id, now),
      await staysOutOfPayoutBatches(programId, affiliate.id),
    ],
  );
