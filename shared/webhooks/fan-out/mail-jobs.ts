import { sendsKind } from '../../domain/programs/mail-settings.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { creditedAffiliate } from '../../domain/sales/rules.ts';
import { sendsMails } from '../../platform/mail/sends-mails.ts';
import type { Change } from '../../platform/table/change.ts';
import { importedAttribute } from '../../platform/table/import-mark.ts';
import { isQuietChange } from '../../platform/table/quiet-writes.ts';
import type { Job } from './background-jobs.ts';

type ReadProgram = () => Promise<
  | (Pick<StoredProgram, 'mails'> & {
      reads: { firstSales: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>> };
    })
  | undefined
>;

const newlyCredited = (change: Change): string | undefined => {
  const { kind, before, after } = change;
  const isImported = after?.source === 'IMPORTED' || after?.[importedAttribute] !== before?.[importedAttribute];
  if (kind !== 'SALE' || isImported || isQuietChange(change)) return undefined;
  const affiliateId = creditedAffiliate(after);
  return affiliateId === creditedAffiliate(before) ? undefined : affiliateId;
};

/** Asks for a mail about a sale that may be an affiliate's first. docs/behavior.md#first-sale-and-payouts */
export const mailJobsOf = async (change: Change, readProgram: ReadProgram): Promise<Job[]> => {
  const affiliateId = newlyCredited(change);
  if (affiliateId === undefined || !sendsMails()) return [];
  const program = await readProgram();
  if (!program || !sendsKind(program, 'FIRST_SALE')) return [];
  if ((await program.reads.firstSales([affiliateId])).has(affiliateId)) return [];
  return [{ queue: 'first-sales', message: { programId: change.programId, saleId: change.recordId } }];
};
