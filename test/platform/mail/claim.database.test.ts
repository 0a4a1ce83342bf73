import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { mailBudgets } from '../../../shared/contract/mails.ts';
import { addressHash } from '../../../shared/platform/mail/addresses.ts';
import { type Claim, claimMail, giveBack, mailSent } from '../../../shared/platform/mail/claim.ts';
import { getItem, putItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { foldedEmail } from '../../../shared/platform/text/folded-email.ts';
import { now } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

type Mail = Parameters<typeof claimMail>[0];

const newMail = (overrides: Partial<Mail> = {}): Mail => ({
  id: randomUUID(),
  programId: randomUUID(),
  plan: 'BUSINESS',
  to: `${randomUUID()}@example.com`,
  countsForAddress: true,
  budget: 'PROGRAM',
  ...overrides,
});
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
const claimed = async (mail: Mail, at = now): Promise<Claim> => {
  const claim = await claimMail(mail, at);
  if (typeof claim === 'string') throw new Error(`The mail could not be claimed: ${claim}`);
  return claim;
};
const ofDay = ({ programId, budget }: Mail) => ({
  pk: partition(programId, 'MAIL', 'DAY'),
  sk: `${budget}#2026-03-01`,
});
const ofHour = ({ to, budget }: Mail) => ({
  pk: `MAIL_COUNT#${addressHash(foldedEmail(to))}`,
  sk: `${budget}#2026-03-01T12`,
});

describe('a mail', () => {
  it('is sent by one of two functions that have its message at once', async () => {
    const mail = newMail();
    const outcomes = await Promise.allSettled([claimMail(mail, now), claimMail(mail, now)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('is not sent again, however much later its message comes again', async () => {
    const mail = newMail();
    await mailSent(await claimed(mail), now);
    expect(await claimMail(mail, later(1))).toBe('SENT');
    expect(await claimMail(mail, later(3600))).toBe('SENT');
  });

  it('that could not be sent is sent by the next function, and counts once', async () => {
    const mail = newMail();
    await giveBack(await claimed(mail));
    await claimed(mail, later(1));
    expect(await getItem('traffic', ofDay(mail))).toMatchObject({ count: 1 });
    expect(await getItem('traffic', ofHour(mail))).toMatchObject({ count: 1 });
  });

  it('whose function was killed is sent by another one after 90 seconds, and not before', async () => {
    const mail = newMail();
    await claimed(mail);
    await expect(claimMail(mail, later(89))).rejects.toThrow('being sent by another function');
    await claimed(mail, later(91));
    await expect(claimMail(mail, later(92))).rejects.toThrow('being sent by another function');
  });

  it('that another function has taken over is not changed by the end of the first one', async () => {
    const mail = newMail();
    const first = await claimed(mail);
    const second = await claimed(mail, later(91));
    await giveBack(first);
    await mailSent(first, later(92));
    expect(await getItem('traffic', second.key)).toMatchObject({ state: 'SENDING', until: second.until });
  });

  it('that was sent while another function took it over is not sent again', async () => {
    const mail = newMail();
    const first = await claimed(mail);
    // The second write is the one that takes over.
    const late = interrupted(
      () => claimMail(mail, later(91)),
      () => mailSent(first, later(91)),
      2,
    );
    expect(await late).toBe('SENT');
  });

  it('expires 30 days after, with its counters after two', async () => {
    const mail = newMail();
    const { key } = await claimed(mail);
    expect(await getItem('traffic', key)).toMatchObject({ ttl: later(30 * 86_400).getTime() / 1000 });
    expect(await getItem('traffic', ofDay(mail))).toMatchObject({ ttl: later(2 * 86_400).getTime() / 1000 });
  });
});

describe('limits', () => {
  const own = { BUSINESS: bounds.mailsOfBusinessProgramInDay, FREE: bounds.mailsOfFreeProgramInDay };
  const strangers = {
    BUSINESS: bounds.strangersMailsOfBusinessProgramInDay,
    FREE: bounds.strangersMailsOfFreeProgramInDay,
  };
  const most = { PROGRAM: own, SIGN_IN: own, APPLICATIONS: strangers, INVITATIONS: strangers };
  const cases = mailBudgets.flatMap((budget) =>
    (['BUSINESS', 'FREE'] as const).map((plan) => ({ budget, plan, most: most[budget][plan] })),
  );
  const others = (budget: Mail['budget']) => mailBudgets.filter((other) => other !== budget);

  it.each(cases)('a program on the $plan plan sends $most mails of $budget a day', async ({ budget, plan, most }) => {
    const mail = newMail({ plan, budget });
    await putItem('traffic', { ...ofDay(mail), count: most - 1 });
    await claimed(mail);
    const another = newMail({ plan, budget, programId: mail.programId });
    expect(await claimMail(another, now)).toBe('OVER_LIMIT');
    // Nothing of it was counted.
    expect(await getItem('traffic', ofHour(another))).toBeUndefined();
    for (const other of others(budget)) await claimed(newMail({ plan, budget: other, programId: mail.programId }));
    await claimed(another, later(86_400));
  });

  it.each(mailBudgets)(
    'an address gets ten mails of %s an hour of all programs, when they come at once too',
    async (budget) => {
      const { to } = newMail();
      const some = Array.from({ length: bounds.mailsOfAddressInHour + 3 }, () =>
        claimMail(newMail({ to, budget }), now),
      );
      const outcomes = await Promise.all(some);
      expect(outcomes.filter((outcome) => outcome === 'OVER_LIMIT')).toHaveLength(3);
      for (const other of others(budget)) await claimed(newMail({ to, budget: other }));
      await claimed(newMail({ to, budget }), later(3600));
    },
  );

  it('the addresses of a mailbox, with a plus or with dots, count together', async () => {
    const name = `noor${randomUUID()}`;
    const variants = [`${name}@example.com`, `n.${name.slice(1)}@example.com`];
    const [one = '', other = ''] = variants;
    await putItem('traffic', { ...ofHour(newMail({ to: one })), count: bounds.mailsOfAddressInHour - 1 });
    await claimed(newMail({ to: `${name}+${randomUUID()}@example.com` }));
    for (const to of [one, other, `${name}+more@EXAMPLE.com`])
      expect([to, await claimMail(newMail({ to }), now)]).toEqual([to, 'OVER_LIMIT']);
    await claimed(newMail({ to: `x${name}@example.com` }));
  });
});
