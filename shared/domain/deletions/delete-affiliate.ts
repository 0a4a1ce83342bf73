import { expectVersion, whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { affiliates, findAffiliate } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { totalsRemoval } from '../affiliates/totals.ts';
import { staysOutOfPayoutBatches } from '../payouts/unpaid.ts';

/** By UUID or email; 404, or 409 in an unpaid payout batch. docs/behavior.md#deleting-an-affiliate */
export const deleteAffiliate = (
  programId: string,
  idOrEmail: string,
  expectedVersions: readonly number[] | undefined,
  now: Date,
): Promise<StoredAffiliate> =>
  whileChanging(async () => {
    const named = idOrEmail.includes('@') ? { affiliateEmail: idOrEmail } : { affiliateId: idOrEmail };
    const affiliate = await findAffiliate(programId, named);
    expectVersion(affiliate, expectedVersions);
    await writeTogether([
      ...affiliates.removal(programId, affiliate),
      affiliates.tombstone(programId, affiliate, now),
      totalsRemoval(programId, affiliate.id, now),
      await staysOutOfPayoutBatches(programId, affiliate.id),
    ]);
    return affiliate;
  });
