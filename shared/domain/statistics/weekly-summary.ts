import type { WeeklyFigures } from '../../contract/mails.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { sendsMails } from '../../platform/mail/sends-mails.ts';
import { type Period, periodBefore, weekBefore } from '../../platform/time/days.ts';
import { sendsKind } from '../programs/mail-settings.ts';
import { allMembers } from '../programs/members.ts';
import { programs, type StoredProgram } from '../programs/repository.ts';
import { type DayOfSales, salesByDay } from './sales-by-day.ts';

const maxConcurrency = 10;

const sumOf = (days: readonly DayOfSales[]): WeeklyFigures => {
  const count = (name: 'count' | 'clicks' | 'referrals') => days.reduce((sum, day) => sum + day[name], 0);
  const minor = (name: 'revenueMinor' | 'commissionMinor') => String(days.reduce((sum, day) => sum + day[name], 0n));
  return {
    sales: count('count'),
    revenueMinor: minor('revenueMinor'),
    commissionMinor: minor('commissionMinor'),
    clicks: count('clicks'),
    referrals: count('referrals'),
  };
};

const readWeeks = async (programId: string, week: Period) => {
  const before = periodBefore(week);
  const days = await salesByDay(programId, { first: before.first, last: week.last });
  const isBefore = ({ day }: DayOfSales) => day < week.first;
  return { week: sumOf(days.filter((day) => !isBefore(day))), weekBefore: sumOf(days.filter(isBefore)) };
};

const readersOf = async ({ id, ownerEmail }: StoredProgram): Promise<string[]> => {
  const accepted = (await allMembers(id)).filter(({ acceptedAt }) => acceptedAt !== null);
  return [ownerEmail, ...accepted.map(({ email }) => email)];
};

/**
 * Mails the members of a program what came in the week before `time`, in its time zone; nothing for a week without a click, a
 * referral and a sale. Idempotent. docs/behavior.md#weekly-summary
 */
export const mailWeeklySummary = async (programId: string, time: Date): Promise<void> => {
  if (!sendsMails()) return;
  const program = await programs.get(programId, programId);
  if (!program || !sendsKind(program, 'WEEKLY_SUMMARY')) return;
  const period = weekBefore(program.timeZone, time);
  const weeks = await readWeeks(programId, period);
  const { sales, clicks, referrals } = weeks.week;
  if (sales + clicks + referrals === 0) return;
  const url = new URL(`/programs/${programId}`, process.env.APP_URL).href;
  const data = { firstDay: period.first, lastDay: period.last, currency: program.currency, ...weeks, url };
  const mail = { programId, kind: 'WEEKLY_SUMMARY', data, occasion: period.first } as const;
  await forEachConcurrent(await readersOf(program), maxConcurrency, async (to) => {
    await sendMail({ ...mail, to }, time);
  });
};
