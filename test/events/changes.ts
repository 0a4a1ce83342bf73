import { expect } from 'vitest';
import { eventsOf } from '../../events/catalogue.ts';
import type { Change } from '../../shared/platform/table/change.ts';
import { at, newProgram } from '../support/domain.ts';
import { makeStoredSale } from '../support/sales.ts';
import { makeStoredCoupon } from '../support/stored-records.ts';

export const moment = { createdAt: at(0), updatedAt: at(0) };
export const coupon = makeStoredCoupon(moment);
export const sale = makeStoredSale('', { ...moment, affiliateId: null });

export type Image = Record<string, unknown> & { id: string };
export interface States {
  before?: Image;
  after?: Image;
}

export const changeOf = (programId: string, kind: string, { before, after }: States): Change => ({
  programId,
  kind,
  recordId: (after ?? before)?.id ?? '',
  before: before && { ...before },
  after: after && { ...after },
  noticedAt: new Date(at(9000)),
});

/** The next version of a record, a second later. */
export const edited = <Stored extends { version: number }>(record: Stored, changed: Partial<Stored>): Stored => ({
  ...record,
  version: record.version + 1,
  updatedAt: at(1000),
  ...changed,
});

export const program = newProgram();
export const made = async (kind: string, states: States, inProgram: Parameters<typeof eventsOf>[1] = program) => {
  const events = await eventsOf(changeOf(inProgram.id, kind, states), inProgram);
  for (const { body, ...event } of events) expect(JSON.parse(body)).toMatchObject(event);
  return events.map(({ body }) => JSON.parse(body));
};
