import { fieldError } from '../../contract/errors.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { hasRecords } from '../../platform/table/has-records.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { createHandleWrite, HandleTaken, handleOf, refuseForeignId, releaseHandleWrites } from './handles.ts';
import { getProgram, programs, type StoredProgram, updateTokens } from './repository.ts';
import { changedReviewRules, reviewsSales } from './review-rules.ts';

type ProgramEdit = Pick<
  StoredProgram,
  'name' | 'currency' | 'commissionRate' | 'baseUrls' | 'allowSelfReferral' | 'accentColor'
> & {
  [Name in 'timeZone' | 'handle' | 'attribution' | 'attributionDays' | 'showsCodes' | 'reviewRules']?:
    | StoredProgram[Name]
    | undefined;
};

/** See docs/behavior.md#currency-of-a-program */
const refuseWithSales = async (programId: string): Promise<void> => {
  if (await hasRecords(programId, 'SALE'))
    throw fieldError('currency', 'currency cannot change any more: this program has sales. Make another program.');
};

/** Repeats until the tokens have the current values, whoever else changes the program. */
const tellOfProgram = async (programId: string): Promise<void> => {
  for (;;) {
    const program = await getProgram(programId);
    const { version, currency, commissionRate, timeZone } = program;
    await updateTokens([programId], { currency, commissionRate, timeZone, reviewsSales: reviewsSales(program) });
    if ((await getProgram(programId)).version === version) return;
  }
};

/** Frees the handle before, and takes the new one. A program may go back to its id. */
const handleWrites = async (program: StoredProgram, handle: string | null): Promise<Write[]> => {
  if (handle === program.handle) return [];
  return [...(await releaseHandleWrites(program)), ...(handle ? [createHandleWrite(handle, program.id)] : [])];
};

/** 404, or 400 for a handle of another program, or another currency after the first sale. Repeating it finishes what a crash left. */
export const updateProgram = async (programId: string, edit: ProgramEdit, now: Date): Promise<void> => {
  const edited = retryOnConflict(async () => {
    const program = await getProgram(programId);
    if (edit.currency !== program.currency) await refuseWithSales(programId);
    const { timeZone = program.timeZone, attribution = program.attribution } = edit;
    const { attributionDays = program.attributionDays, showsCodes = program.showsCodes } = edit;
    const wanted = edit.handle ?? handleOf(program);
    refuseForeignId(wanted, programId);
    const handle = wanted === programId ? null : wanted;
    const tracking = { attribution, attributionDays, showsCodes };
    const review = changedReviewRules(program, edit);
    const at = now.toISOString();
    const changed: StoredProgram = { ...program, ...edit, ...tracking, ...review, timeZone, handle, updatedAt: at };
    await writeTogether([
      ...programs.updateWrites(programId, program, changed),
      ...(await handleWrites(program, handle)),
    ]);
  });
  await edited.catch((error: unknown) => {
    throw error instanceof HandleTaken ? fieldError('handle', 'handle is taken: choose another one') : error;
  });
  await tellOfProgram(programId);
};
