import { bounds } from '../../contract/bounds.ts';
import { hasRoom, withRecordBound } from '../../platform/table/record-bound.ts';
import type { StoredProgram } from './repository.ts';

/** Bounds what `action` creates if the program's plan does; otherwise nothing is read or written for it. docs/behavior.md#records-on-the-free-plan */
export const withinPlan = <Result>(
  { id, plan }: Pick<StoredProgram, 'id' | 'plan'>,
  { now, sentence }: { now: Date; sentence: string },
  action: () => Result,
): Result =>
  plan === 'FREE'
    ? withRecordBound({ programId: id, max: bounds.recordsOfFreeProgram, now, sentence }, action)
    : action();

/** Whether the plan lets a program have so many records more. docs/behavior.md#records-on-the-free-plan */
export const hasRoomInPlan = async (
  { id, plan }: Pick<StoredProgram, 'id' | 'plan'>,
  wanted: number,
  now: Date,
): Promise<boolean> =>
  plan !== 'FREE' || hasRoom({ programId: id, max: bounds.recordsOfFreeProgram, now, sentence: '' }, wanted);
