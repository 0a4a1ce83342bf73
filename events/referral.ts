import type * as z from 'zod';
import { Referral } from '../shared/contract/referrals.ts';
import { referralResponse, StoredReferral } from '../shared/domain/referrals/rules.ts';
import { eventFamily } from './family.ts';

const made: z.output<typeof Referral> = {
  id: '019a0000-0000-7000-8000-0000000000b1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  affiliateId: '019a0000-0000-7000-8000-0000000000a1',
  affiliateProgramId: '019a0000-0000-7000-8000-000000000001',
  affiliateLinkId: null,
  name: 'Priya Sharma',
  email: 'priya.sharma@example.net',
  referredUserExternalId: null,
  plan: 'starter',
  subscriptionStatus: 'ACTIVE',
  referralMedium: null,
  source: 'API',
  totalRevenue: 0,
  totalCommission: 0,
  notes: null,
  metadata: {},
};

export const referralEvents = eventFamily({
  name: 'referral',
  kind: 'REFERRAL',
  noun: 'referral',
  stored: StoredReferral,
  response: Referral,
  toResponse: async (program, referral) => referralResponse(referral, program),
  notEdited: ['totalRevenue', 'totalCommission'],
  example: made,
  editedExample: { ...made, updatedAt: '2026-02-01T12:00:00.000Z', plan: 'pro' },
});
