import type * as z from 'zod';
import { Affiliate } from '../shared/contract/affiliates.ts';
import { affiliateResponse } from '../shared/domain/affiliates/responses.ts';
import { StoredAffiliate } from '../shared/domain/affiliates/rules.ts';
import { withTotals } from '../shared/domain/affiliates/totals.ts';
import { eventFamily } from './family.ts';

const made: z.output<typeof Affiliate> = {
  id: '019a0000-0000-7000-8000-0000000000a1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  programId: '019a0000-0000-7000-8000-000000000001',
  firstName: 'Amara',
  lastName: 'Okafor',
  name: 'Amara Okafor',
  email: 'amara.okafor@example.com',
  status: 'ACTIVE',
  commissionRate: 20,
  payoutEmail: null,
  paymentMethod: 'WISE',
  externalId: null,
  source: 'API',
  affiliateLinks: [
    {
      id: '019a0000-0000-7000-8000-0000000000b1',
      link: 'amara-okafor',
      createdAt: '2026-01-31T12:00:00.000Z',
      updatedAt: '2026-01-31T12:00:00.000Z',
    },
  ],
  numberOfReferredUsers: 0,
  numberOfClicks: 0,
  totalRevenue: 0,
  totalCommissionEarned: 0,
  totalCommissionPaid: 0,
  metadata: {},
};

export const affiliateEvents = eventFamily({
  name: 'affiliate',
  kind: 'AFFILIATE',
  noun: 'affiliate',
  stored: StoredAffiliate,
  response: Affiliate,
  toResponse: async (program, affiliate) => {
    const [counted] = await withTotals(program.id, [affiliate]);
    if (!counted) throw new Error(`Affiliate ${affiliate.id} has no response`);
    return affiliateResponse(counted, program);
  },
  notEdited: [
    'numberOfReferredUsers',
    'numberOfClicks',
    'totalRevenue',
    'totalCommissionEarned',
    'totalCommissionPaid',
  ],
  example: made,
  editedExample: { ...made, updatedAt: '2026-02-01T12:00:00.000Z', commissionRate: 25 },
});
