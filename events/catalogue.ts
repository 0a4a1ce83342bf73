import { affiliateEvents } from './affiliate.ts';
import type { Change } from './change.ts';
import { couponEvents } from './coupon.ts';
import type { EventProgram, RecordEvent } from './family.ts';
import { promotionalCodeEvents } from './promotional-code.ts';

const families = [affiliateEvents, couponEvents, promotionalCodeEvents];

const familyOf = (change: Change) => families.find(({ kind }) => kind === change.kind);

/** Every event that a webhook can get: its type, what it means, the schema of its body and an example. */
export const eventCatalogue = families.flatMap(({ entries }) => entries);

/** Whether changes of this kind of record make events at all. */
export const makesEvents = (change: Change): boolean => familyOf(change) !== undefined;

/** The event that a change makes, or undefined. Reads what `data` nests (coupon, codes, affiliate). */
export const eventOf = async (change: Change, program: EventProgram): Promise<RecordEvent | undefined> =>
  familyOf(change)?.eventOf(change, program);
