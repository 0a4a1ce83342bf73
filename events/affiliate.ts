import { Affiliate } from '../shared/contract/affiliates.ts';
import { requireRecord } from '../shared/contract/errors.ts';
import { affiliateExample } from '../shared/contract/record-examples.ts';
import { affiliateResponse } from '../shared/domain/affiliates/responses.ts';
import { StoredAffiliate } from '../shared/domain/affiliates/rules.ts';
import { withTotals } from '../shared/domain/affiliates/totals.ts';
import { groupsOf } from '../shared/domain/groups/repository.ts';
import { defaultGroupId, noGroups } from '../shared/domain/groups/rules.ts';
import { eventFamily } from './family.ts';
import type { EventProgram } from './origin.ts';

const affiliateAsNow = async (program: EventProgram, affiliate: StoredAffiliate) => {
  const [counted, groups] = await Promise.all([
    withTotals(program.id, [affiliate]),
    affiliate.groupId === null ? noGroups : (program.reads?.groups() ?? groupsOf(program.id)),
  ]);
  return affiliateResponse(requireRecord(counted[0], 'Affiliate'), program, groups);
};

export const affiliateEvents = eventFamily({
  name: 'affiliate',
  kind: 'AFFILIATE',
  noun: 'affiliate',
  stored: StoredAffiliate,
  response: Affiliate,
  toResponse: affiliateAsNow,
  // Of a group that is gone by now too.
  toPrevious: async (program, affiliate) => ({
    ...(await affiliateAsNow(program, affiliate)),
    groupId: affiliate.groupId ?? defaultGroupId(program.id),
  }),
  notEdited: [
    'numberOfReferredUsers',
    'numberOfClicks',
    'totalRevenue',
    'totalCommissionEarned',
    'totalCommissionPaid',
  ],
  example: affiliateExample,
  editedExample: { ...affiliateExample, updatedAt: '2026-02-01T12:00:00.000Z', commissionRate: 25 },
});
