import { fieldError } from '../../contract/errors.ts';
import { hasRecords } from '../../platform/table/has-records.ts';
import { whileChanging } from '../../platform/table/record-store.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { getProgram, programs, type StoredProgram, updateTokens } from './repository.ts';

/** What the owner may change of a program. */
type ProgramEdit = Pick<StoredProgram, 'name' | 'currency' | 'commissionRate' | 'baseUrls'>;

/** Every amount is kept in the minor unit of the program's currency, and would be read in another one afterwards. */
const refuseWithSales = async (programId: string): Promise<void> => {
  if (await hasRecords(programId, 'SALE'))
    throw fieldError('currency', 'currency cannot change any more: this program has sales. Make another program.');
};

/** Tells authentication of the program, until it knows what the program is now, whoever else changes it. */
const tellOfProgram = async (programId: string): Promise<void> => {
  for (;;) {
    const { version, currency, commissionRate } = await getProgram(programId);
    await updateTokens([programId], { currency, commissionRate });
    if ((await getProgram(programId)).version === version) return;
  }
};

/**
 * Changes a program, and with it what its keys are told when they authenticate; repeating it finishes what a crash left.
 * 404 when the program is gone; 400 for another currency once it has sales. A sale that is being made at the very
 * moment at which a program without sales gets another currency may still be counted in the one before. Decisions,
 * section 7.
 */
export const updateProgram = async (programId: string, edit: ProgramEdit, now: Date): Promise<void> => {
  await whileChanging(async () => {
    const program = await getProgram(programId);
    if (edit.currency !== program.currency) await refuseWithSales(programId);
    const changed: StoredProgram = { ...program, ...edit, updatedAt: now.toISOString() };
    await writeTogether(programs.change(programId, program, changed));
  });
  await tellOfProgram(programId);
};
