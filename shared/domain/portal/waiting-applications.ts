import { bounds } from '../../contract/bounds.ts';
import { withFreeSlot } from '../../platform/table/slots.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredProgram } from '../programs/repository.ts';

type Bounded = Pick<StoredProgram, 'id' | 'plan'>;

const most = {
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
    { count: most[plan], whenFull: () => new TooManyWait('Too many applications wait') },
    write,
  );

/** Whether as many wait as may. What a slot of another plan holds counts too. */
export const tooManyWait = async ({ id, plan }: Bounded): Promise<boolean> =>
  (await affiliates.valuesBeginningWith(id, 'SLOT', '', { count: most[plan] })).length >= most[plan];
