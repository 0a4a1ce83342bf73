import * as z from 'zod';
import { actorFrom } from '../shared/contract/actor.ts';
import { PromotionalCode } from '../shared/contract/promotional-codes.ts';
import { codeExample } from '../shared/contract/record-examples.ts';
import { promotionalCodes } from '../shared/domain/promotional-codes/repository.ts';
import { codeResponses } from '../shared/domain/promotional-codes/responses.ts';
import type { StoredPromotionalCode } from '../shared/domain/promotional-codes/rules.ts';
import type { Change } from '../shared/platform/table/change.ts';
import type { ReadMany } from '../shared/platform/table/shared-reads.ts';
import { actorExample, type CatalogueEntry, eventSchema, type RecordEvent, recordEvent } from './family.ts';
import type { EventProgram } from './origin.ts';

/** An imported sale has a code and no redemption. */
const Redemption = z.object({
  promotionalCodeId: z.string(),
  redemption: z.object({}),
  createdAt: z.string(),
  by: z.unknown().optional(),
});

const type = 'promotional_code.redeemed';

/** Of a new sale or referral that redeemed a code. */
const redemptionIn = ({ kind, before, after }: Change) => {
  if (before || (kind !== 'SALE' && kind !== 'REFERRAL')) return undefined;
  const parsed = Redemption.safeParse(after);
  return parsed.success ? parsed.data : undefined;
};

const eventsOf = async (change: Change, program: EventProgram): Promise<RecordEvent[]> => {
  const redemption = redemptionIn(change);
  if (!redemption) return [];
  const { promotionalCodeId, createdAt: timestamp, by } = redemption;
  const read: ReadMany<StoredPromotionalCode> =
    program.reads?.codes ?? ((ids) => promotionalCodes.getManyEvenDeleted(program.id, ids));
  const code = (await read([promotionalCodeId])).get(promotionalCodeId);
  if (!code) throw new Error(`The redeemed promotional code ${promotionalCodeId} and its tombstone are missing`);
  const [data] = await codeResponses(program, [code], new Date(timestamp));
  return [
    recordEvent({ change, type, timestamp, actor: actorFrom(by), version: 1, data: PromotionalCode.parse(data) }),
  ];
};

const entries: readonly CatalogueEntry<typeof type>[] = [
  {
    type,
    description:
      'A code was redeemed by a sale or a referral. `data` is the code; its ' +
      '`timesRedeemed` is what was counted when the event was made, and may be some redemptions behind.',
    schema: eventSchema(type, PromotionalCode),
    example: {
      id: '019a0000-0000-7000-8000-0000000000e0',
      type,
      timestamp: '2026-02-01T12:00:00.000Z',
      actor: actorExample,
      // A redemption counts on the code and on its coupon, and edits neither.
      data: { ...codeExample, timesRedeemed: 1, coupon: { ...codeExample.coupon, timesRedeemed: 1 } },
    },
  },
];

/** `promotional_code.redeemed` follows from what redeems, not from the code: its counter alone is no event. */
export const redemptionEvents = { eventsOf, entries };
