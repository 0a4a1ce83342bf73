import { referralExample } from '../shared/contract/record-examples.ts';
import { Referral } from '../shared/contract/referrals.ts';
import { referralResponse, StoredReferral } from '../shared/domain/referrals/rules.ts';
import { eventFamily } from './family.ts';

export const referralEvents = eventFamily({
  name: 'referral',
  kind: 'REFERRAL',
  noun: 'referral',
  stored: StoredReferral,
  response: Referral,
  toResponse: async (program, referral) => referralResponse(referral, program),
  notEdited: ['totalRevenue', 'totalCommission'],
  example: referralExample,
  editedExample: { ...referralExample, updatedAt: '2026-02-01T12:00:00.000Z', plan: 'pro' },
});
