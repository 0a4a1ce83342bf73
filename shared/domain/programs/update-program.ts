import { fieldError } from '../../contract/errors.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { hasRecords } from '../../platform/table/has-records.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { getProgram, programs, type StoredProgram, updateTokens } from './repository.ts';

type ProgramEdit = Pick<
  StoredProgram,
  'name' | 'currency' | 'commissionRate' | 'baseUrls' | 'allowSelfReferral' | 'accentColor'
> & { timeZone?: string | undefined };

/** See docs/behavior.md#currency-of-a-program */
const refuseWithSales = async (programId: string): Promise<void> => {
  if (await hasRecords(programId, 'SALE'))
    throw fieldError('currency', 'currency cannot change any more: this program has sales. Make another program.');
};

/** Repeats until the tokens have the current values, whoever else changes the program. */
const tellOfProgram = async (programId: string): Promise<void> => {
  for (;;) {
    const { version, currency, commissionRate, timeZone } = await getProgram(programId);
    await updateTokens([programId], { currency, commissionRate, timeZone });
    if ((await getProgram(programId)).version === version) return;
  }
};

/** 404, or 400 for another currency after the first sale. Repeating it finishes what a crash left. */
export const updateProgram = async (programId: string, edit: ProgramEdit, now: Date): Promise<void> => {
  await retryOnConflict(async () => {
    const program = await getProgram(programId);
    if (edit.currency !== program.currency) await refuseWithSales(programId);
    const { timeZone = program.timeZone } = edit;
    const changed: StoredProgram = { ...program, ...edit, timeZone, updatedAt: now.toISOString() };
    await writeTogether(programs.updateWrites(programId, program, changed));
  });
  await tellOfProgram(programId);
};
