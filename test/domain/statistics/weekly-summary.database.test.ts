import { beforeEach, describe, expect, it, vi } from 'vitest';
import { mailVariables } from '../../../shared/contract/mail-settings.ts';
import { changeMailKind } from '../../../shared/domain/programs/change-mail-settings.ts';
import { acceptInvitation, inviteMember } from '../../../shared/domain/programs/members.ts';
import { deleteProgram } from '../../../shared/domain/programs/programs.ts';
import { incrementDayWrite } from '../../../shared/domain/statistics/sales-by-day.ts';
import { mailWeeklySummary } from '../../../shared/domain/statistics/weekly-summary.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { weekBefore } from '../../../shared/platform/time/days.ts';
import { now } from '../../support/domain.ts';
import { testQueues } from '../../support/queues.ts';
import { storeProgram } from '../../support/webhooks.ts';

const { sentTo } = testQueues();
beforeEach(() => {
  vi.stubEnv(mailVariables.from, 'programs@example.com');
  vi.stubEnv('APP_URL', 'https://app.example.com');
});

const monday = new Date('2026-03-09T12:00:00.000Z');
const mails = () => sentTo('mails').map(({ body }) => body);

const setUp = async (days: Readonly<Record<string, Record<string, bigint>>>) => {
  const program = await storeProgram();
  await writeTogether(Object.entries(days).map(([day, amounts]) => incrementDayWrite(program.id, day, amounts)));
  return program;
};

const sale = { sales: 1n, revenueMinor: 5000n, commissionMinor: 1000n };

describe('the summary of a week', () => {
  it('has the figures from Monday to Sunday and those of the week before, and no other day', async () => {
    const program = await setUp({
      '2026-02-22': sale,
      '2026-02-23': { ...sale, clicks: 7n },
      '2026-03-02': { ...sale, sales: 2n },
      '2026-03-08': { ...sale, clicks: 3n, referrals: 1n },
      '2026-03-09': sale,
    });
    await mailWeeklySummary(program.id, monday);
    expect(mails()).toMatchObject([
      {
        kind: 'WEEKLY_SUMMARY',
        to: program.ownerEmail,
        at: monday.toISOString(),
        data: {
          firstDay: '2026-03-02',
          lastDay: '2026-03-08',
          currency: 'USD',
          week: { sales: 3, revenueMinor: '10000', commissionMinor: '2000', clicks: 3, referrals: 1 },
          weekBefore: { sales: 1, revenueMinor: '5000', commissionMinor: '1000', clicks: 7, referrals: 0 },
          url: `https://app.example.com/programs/${program.id}`,
        },
      },
    ]);
  });

  it('goes to the owner and to members who have accepted, and is the same mail if it is asked for twice', async () => {
    const program = await setUp({ '2026-03-02': { clicks: 1n } });
    const [accepted, invited] = ['accepted', 'invited'].map((name) => `${name}-${program.id}@example.com`);
    for (const email of [accepted, invited])
      await inviteMember(program, { email: email ?? '', role: 'VIEWER', invitedBy: program.ownerEmail }, now);
    await acceptInvitation(program.id, accepted ?? '', now);
    await mailWeeklySummary(program.id, monday);
    expect(
      mails()
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual([accepted, program.ownerEmail].toSorted());
    await mailWeeklySummary(program.id, monday);
    expect(new Set(mails().map(({ id }) => id)).size).toBe(2);
    expect(mails()).toHaveLength(4);
  });

  it('is not sent for a week in which nothing happened, whatever happened before and after', async () => {
    const program = await setUp({ '2026-03-01': sale, '2026-03-09': sale });
    await mailWeeklySummary(program.id, monday);
    expect(mails()).toEqual([]);
  });

  it('is not sent where it is switched off, the program is deleted or the stage sends no mails', async () => {
    const [off, deleted, other] = await Promise.all([1, 2, 3].map(() => setUp({ '2026-03-02': sale })));
    if (!off || !deleted || !other) throw new Error('There are three');
    await changeMailKind(off.id, 'WEEKLY_SUMMARY', { isOff: true, subject: null, opening: null }, now);
    await deleteProgram(deleted.id);
    for (const { id } of [off, deleted]) await mailWeeklySummary(id, monday);
    vi.stubEnv(mailVariables.from, '');
    await mailWeeklySummary(other.id, monday);
    expect(mails()).toEqual([]);
  });
});

it.each([
  { timeZone: 'UTC', at: '2026-03-09T12:00:00Z', first: '2026-03-02', last: '2026-03-08' },
  { timeZone: 'Pacific/Kiritimati', at: '2026-03-09T12:00:00Z', first: '2026-03-02', last: '2026-03-08' },
  { timeZone: 'Etc/GMT+12', at: '2026-03-09T12:00:00Z', first: '2026-03-02', last: '2026-03-08' },
  { timeZone: 'America/New_York', at: '2026-03-09T03:00:00Z', first: '2026-02-23', last: '2026-03-01' },
  { timeZone: 'UTC', at: '2026-03-15T23:59:59Z', first: '2026-03-02', last: '2026-03-08' },
])('the week before $at in $timeZone is from $first to $last', ({ timeZone, at, first, last }) => {
  expect(weekBefore(timeZone, new Date(at))).toEqual({ first, last });
});
