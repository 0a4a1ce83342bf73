import { affiliates } from '../../affiliates/repository.ts';
import type { StoredAffiliate } from '../../affiliates/rules.ts';
import { groupsOf } from '../../groups/repository.ts';
import { groupOf } from '../../groups/rules.ts';
import type { StoredPayoutBatch } from '../rules.ts';

export type MinimumOf = (affiliate: Pick<StoredAffiliate, 'groupId'>) => number | null;

/** The smallest payout of an affiliate by its group, in minor units; undefined where no group has one. */
export const minimumsOfGroups = async (
  programId: string,
  { currency }: Pick<StoredPayoutBatch, 'currency'>,
): Promise<MinimumOf | undefined> => {
  const stored = await groupsOf(programId);
  if (stored.groups.every(({ minimumPayoutMinor }) => minimumPayoutMinor === null)) return undefined;
  const program = { id: programId, currency, commissionRate: 0 };
  return (affiliate) => groupOf(affiliate, stored, program).minimumPayoutMinor;
};

/** As `minimumsOfGroups`, by the ids of affiliates. A deleted affiliate has none. */
export const minimumsOf = async (
  programId: string,
  batch: StoredPayoutBatch,
  affiliateIds: readonly string[],
): Promise<(affiliateId: string) => number | null> => {
  const minimumOf = affiliateIds.length > 0 ? await minimumsOfGroups(programId, batch) : undefined;
  if (!minimumOf) return () => null;
  const byId = await affiliates.getMany(programId, affiliateIds);
  return (affiliateId) => {
    const affiliate = byId.get(affiliateId);
    return affiliate ? minimumOf(affiliate) : null;
  };
};
