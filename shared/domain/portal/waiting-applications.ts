import { bounds } from '../../contract/bounds.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { affiliates } from '../affiliates/repository.ts';
import { recordsOfNewAffiliate } from '../affiliates/rules.ts';
import { hasRoomInPlan } from '../programs/record-bound.ts';
import type { StoredProgram } from '../programs/repository.ts';

type Bounded = Pick<StoredProgram, 'id' | 'plan'>;

const waitingAtOnce = {
  FREE: bounds.waitingApplicationsOfFreeProgram,
  BUSINESS: bounds.waitingApplicationsOfBusinessProgram,
} as const;

export class TooManyWait extends Error {
  override name = 'TooManyWait';
}

/** Writes an application that waits, with a slot for it; throws `TooManyWait`. docs/behavior.md#applications */
export const withWaitingSlot = <Result>(
  { id, plan }: Bounded,
  write: (waitingSlot: number) => Promise<Result>,
): Promise<Result> =>
  withFreeSlot(
    affiliates,
    id,
    { count: waitingAtOnce[plan], whenFull: () => new TooManyWait('Too many applications wait') },
    write,
  );

const tooManyWait = async ({ id, plan }: Bounded): Promise<boolean> =>
  (await affiliates.valuesBeginningWith(id, 'SLOT', '', { count: waitingAtOnce[plan] })).length >= waitingAtOnce[plan];

/** Whether there is a place for one more, both among those that wait and in the plan. */
export const hasPlace = async (program: Bounded, now: Date): Promise<boolean> => {
  const [isFull, hasRoom] = await Promise.all([
    tooManyWait(program),
    hasRoomInPlan(program, recordsOfNewAffiliate, now),
  ]);
  return !isFull && hasRoom;
};
