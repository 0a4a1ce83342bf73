import type { Change } from '../shared/platform/table/change.ts';
import { affiliateEvents } from './affiliate.ts';
import { couponEvents } from './coupon.ts';
import type { RecordEvent } from './family.ts';
import { groupEvents } from './group.ts';
import { linkEvents } from './link.ts';
import type { EventProgram } from './origin.ts';
import { payoutBatchEvents } from './payout-batch.ts';
import { promotionalCodeEvents } from './promotional-code.ts';
import { redemptionEvents } from './redemption.ts';
import { referralEvents } from './referral.ts';
import { saleEvents } from './sale.ts';
import { webhookTestEntries } from './webhook-test.ts';

/** The kinds of record whose changes make events. */
export const eventFamilies = [
  affiliateEvents,
  groupEvents,
  referralEvents,
  saleEvents,
  linkEvents,
  couponEvents,
  promotionalCodeEvents,
  payoutBatchEvents,
];

const familyOf = (change: Change) => eventFamilies.find(({ kind }) => kind === change.kind);

/** Every event that a webhook can get: its type, what it means, the schema of its body and an example. */
export const eventCatalogue = [
  ...eventFamilies.flatMap(({ entries }) => [...entries]),
  ...redemptionEvents.entries,
  ...webhookTestEntries,
];

/** Whether changes of this kind of record make events at all. */
export const makesEvents = (change: Change): boolean => familyOf(change) !== undefined;

/** The events that a change makes. Reads what `data` nests (coupon, codes, affiliate). */
export const eventsOf = async (change: Change, program: EventProgram): Promise<RecordEvent[]> => {
  const events = await Promise.all([
    familyOf(change)?.eventsOf(change, program),
    redemptionEvents.eventsOf(change, program),
  ]);
  return events.flatMap((some) => some ?? []);
};
