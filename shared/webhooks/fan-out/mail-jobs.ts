import { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { type DecidingProgram, decisionMail } from '../../domain/portal/decision-mail.ts';
import { sendsKind } from '../../domain/programs/mail-settings.ts';
import { creditedAffiliate } from '../../domain/sales/rules.ts';
import { sendsMails } from '../../platform/mail/sends-mails.ts';
import type { Change } from '../../platform/table/change.ts';
import { importedAttribute } from '../../platform/table/import-mark.ts';
import { isQuietChange } from '../../platform/table/quiet-writes.ts';
import { applicationIn, type Job } from './background-jobs.ts';

type ReadProgram = () => Promise<
  | (DecidingProgram & {
      reads: { firstSales: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>> };
    })
  | undefined
>;

const isImport = ({ before, after }: Change): boolean => after?.[importedAttribute] !== before?.[importedAttribute];

const newlyCredited = (change: Change): string | undefined => {
  const { kind, before, after } = change;
  if (kind !== 'SALE' || after?.source === 'IMPORTED' || isImport(change) || isQuietChange(change)) return undefined;
  const affiliateId = creditedAffiliate(after);
  return affiliateId === creditedAffiliate(before) ? undefined : affiliateId;
};

/** Asks whether a sale is an affiliate's first. docs/behavior.md#first-sale-and-payouts */
const firstSaleJobsOf = async (change: Change, readProgram: ReadProgram): Promise<Job[]> => {
  const affiliateId = newlyCredited(change);
  if (affiliateId === undefined) return [];
  const program = await readProgram();
  if (!program || !sendsKind(program, 'FIRST_SALE')) return [];
  const firstId = (await program.reads.firstSales([affiliateId])).get(affiliateId);
  if (firstId !== undefined && firstId !== change.recordId) return [];
  return [{ queue: 'first-sales', message: { programId: change.programId, saleId: change.recordId } }];
};

const isDecision = (change: Change): boolean => {
  if (change.kind !== 'AFFILIATE' || isImport(change) || isQuietChange(change)) return false;
  const [earlier, present] = [applicationIn(change.before), applicationIn(change.after)];
  return earlier != null && present != null && present.status !== earlier.status;
};

/** The mail of a decision itself: a change that comes twice asks for the same one. docs/behavior.md#applications */
const decisionJobsOf = async (change: Change, readProgram: ReadProgram): Promise<Job[]> => {
  const program = isDecision(change) ? await readProgram() : undefined;
  const mail = program && decisionMail(program, StoredAffiliate.parse(change.after));
  return mail ? [{ queue: 'mails', message: mail }] : [];
};

/**
 * The mails that follow from a change, and what looks whether one does; none where the stage sends no mails.
 * @throws ZodError for an address that cannot be mailed. docs/behavior.md#mails
 */
export const mailJobsOf = async (change: Change, readProgram: ReadProgram): Promise<Job[]> =>
  sendsMails() ? [...(await firstSaleJobsOf(change, readProgram)), ...(await decisionJobsOf(change, readProgram))] : [];
