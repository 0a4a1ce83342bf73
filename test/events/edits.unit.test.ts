import { expect, it } from 'vitest';
import { affiliateEvents } from '../../events/affiliate.ts';
import { linkEvents } from '../../events/link.ts';
import { promotionalCodeEvents } from '../../events/promotional-code.ts';

it.each([
  [affiliateEvents, { numberOfReferredUsers: 5, numberOfClicks: 5 }],
  [affiliateEvents, { totalRevenue: 5, totalCommissionEarned: 5, totalCommissionPaid: 5 }],
  [linkEvents, { clicks: 5, referrals: 5, sales: 5, totalRevenue: 5 }],
  [promotionalCodeEvents, { timesRedeemed: 5 }],
])('totals that rise while an event is made are no edit: $0.name $1', ({ editOf, entries }, totals) => {
  const before = entries[0]?.example.data as never;
  expect(editOf(before, { ...Object(before), ...totals })).toEqual({ previousAttributes: {}, types: [] });
});
