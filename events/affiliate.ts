import { Affiliate } from '../shared/contract/affiliates.ts';
import { affiliateExample } from '../shared/contract/record-examples.ts';
import { affiliateResponse } from '../shared/domain/affiliates/responses.ts';
import { StoredAffiliate } from '../shared/domain/affiliates/rules.ts';
import { withTotals } from '../shared/domain/affiliates/totals.ts';
import { eventFamily } from './family.ts';

export const affiliateEvents = eventFamily({
  name: 'affiliate',
  kind: 'AFFILIATE',
  noun: 'affiliate',
  stored: StoredAffiliate,
  response: Affiliate,
  toResponse: async (program, affiliate) => {
    const counted = await withTotals(program.id, [affiliate]);
    return counted.map((one) => affiliateResponse(one, program))[0];
  },
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
