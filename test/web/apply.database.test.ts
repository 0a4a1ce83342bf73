import { describe, expect, it, vi } from 'vitest';
import { bounds } from '../../shared/contract/bounds.ts';
import { deleteLink } from '../../shared/domain/affiliates/delete-link.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { updateAffiliate } from '../../shared/domain/affiliates/update-affiliate.ts';
import { deleteAffiliate } from '../../shared/domain/deletions/delete-affiliate.ts';
import { decideApplication } from '../../shared/domain/portal/decide-application.ts';
import { receiveApplication } from '../../shared/domain/portal/receive-application.ts';
import { delayCalls } from '../speed/recorded-calls.ts';
import { freshEmail, person, testApplications, waitSeconds } from '../support/applications.ts';
import { costOf } from '../support/capacity.ts';
import { outcomeOf, storeAffiliate } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { portalBrowser } from '../support/portal-pages.ts';
import { storeProgram } from '../support/webhooks.ts';

const { program, edit, openForm, post, applyAs, sent, receiveAll, mailed, find } = testApplications();

describe('whoever applies', () => {
  it('becomes an inactive affiliate who waits, with what was entered and the version of the terms, and gets a mail', async () => {
    const email = freshEmail();
    const { status, text } = await applyAs(person(email));
    expect([status, text.includes('Your application was sent')]).toEqual([200, true]);
    await receiveAll();
    const found = await find(email);
    expect(found).toMatchObject({
      firstName: 'Priya',
      lastName: 'Nair',
      status: 'INACTIVE',
      source: 'PORTAL',
      application: {
        status: 'WAITING',
        decidedAt: null,
        entries: [
          { question: 'Where do you write?', text: 'On my blog' },
          { question: 'How many readers?', text: 'Many' },
        ],
        terms: { version: 1, changedAt: program().applicationForm?.termsChangedAt },
      },
    });
    expect(mailed()).toMatchObject([{ kind: 'APPLICATION_RECEIVED', to: email }]);
  });

  it('is received once by a request that comes twice, and mailed once', async () => {
    const email = freshEmail();
    await applyAs(person(email));
    await Promise.all([receiveAll(), receiveAll()]);
    await receiveAll();
    expect((await find(email))?.version).toBe(1);
    expect(new Set(mailed().map(({ id }) => id)).size).toBe(1);
  });

  it('twice at once with one address is one affiliate, with one of the two applications', async () => {
    const email = freshEmail();
    await applyAs({ ...person(email), 'entries.0': 'First' });
    await applyAs({ ...person(email), 'entries.0': 'Second' });
    const [first, second] = sent();
    if (!first || !second) throw new Error('Two were sent');
    await Promise.all([receiveApplication(first, new Date()), receiveApplication(second, new Date())]);
    const { items } = await affiliates.page(program().id, { limit: 10 });
    expect(items.map((one) => [one.email, one.version])).toEqual([[email, 1]]);
    expect(['First', 'Second']).toContain(items[0]?.application?.entries[0]?.text);
    expect(mailed()).toHaveLength(1);
  });

  it('with the address of an affiliate is told the same, for the same calls and in the same time, and changes nothing', async () => {
    const known = await storeAffiliate(program(), { email: freshEmail() });
    const emails = [known.email, freshEmail()];
    const costs: string[] = [];
    const texts: string[] = [];
    for (const email of emails) {
      const proof = await openForm();
      waitSeconds(5);
      const act = async () => {
        const { text } = await post({ ...person(email), ...proof });
        texts.push(text.replaceAll(email, '<email>'));
      };
      costs.push(JSON.stringify(await costOf(act)));
    }
    expect([new Set(texts).size, new Set(costs).size]).toEqual([1, 1]);
    await receiveAll();
    expect(await find(known.email)).toEqual(known);
    expect(mailed().map(({ to }) => to)).toEqual([emails[1]]);
  });

  it('waits as long with a known address as with an unknown one, measured with many of both', async () => {
    const [each, delay] = [10, 40];
    const known = await Promise.all(Array.from({ length: each }, () => storeAffiliate(program())));
    const timed = async (email: string): Promise<number> => {
      const proof = await openForm();
      waitSeconds(5);
      const start = performance.now();
      expect((await post({ ...person(email), ...proof })).status).toBe(200);
      return performance.now() - start;
    };
    const times = { known: [] as number[], unknown: [] as number[] };
    await delayCalls(delay, async () => {
      for (const { email } of known) {
        times.known.push(await timed(email));
        times.unknown.push(await timed(freshEmail()));
      }
    });
    // Other work on the machine makes a time longer, never shorter.
    const [shortestOfKnown, shortestOfUnknown] = [Math.min(...times.known), Math.min(...times.unknown)];
    expect(shortestOfKnown).toBeGreaterThan(delay);
    expect(Math.abs(shortestOfKnown - shortestOfUnknown)).toBeLessThan(delay / 2);
  });

  it('after a decline may apply again once 30 days have passed', async () => {
    const email = freshEmail();
    await applyAs(person(email));
    await receiveAll();
    const { id = '' } = (await find(email)) ?? {};
    const decision = { affiliateId: id, decision: 'DECLINE', message: null } as const;
    await decideApplication(program(), decision, new Date());
    waitSeconds(bounds.daysUntilNextApplication * 24 * 60 * 60 - 60);
    await applyAs({ ...person(email), firstName: 'Early' });
    await receiveAll();
    expect(await find(email)).toMatchObject({ firstName: 'Priya', application: { status: 'DECLINED' } });
    waitSeconds(60);
    await applyAs({ ...person(email), firstName: 'Again' });
    await receiveAll();
    expect(await find(email)).toMatchObject({
      id,
      firstName: 'Again',
      application: { status: 'WAITING', decidedAt: null },
    });
    const kinds = new Map(mailed().map((mail) => [mail.id, mail.kind]));
    expect([...kinds.values()]).toEqual(['APPLICATION_RECEIVED', 'APPLICATION_RECEIVED']);
  });

  it('to a program without room on the FREE plan sees no form, and what was sent before comes too late', async () => {
    await edit({}, await storeProgram('FREE'));
    vi.spyOn(bounds as { recordsOfFreeProgram: number }, 'recordsOfFreeProgram', 'get').mockReturnValue(2);
    const proof = await openForm();
    for (const email of [freshEmail(), freshEmail()]) await applyAs(person(email));
    await receiveAll();
    const { items } = await affiliates.page(program().id, { limit: 10 });
    expect(items).toHaveLength(1);
    expect(new Set(mailed().map(({ id }) => id)).size).toBe(1);
    const refused = await post({ ...person(), ...proof });
    expect([refused.status, refused.text.includes('Nothing was sent')]).toEqual([409, true]);
    expect((await portalBrowser(program()).visit('/apply')).text).toContain('no more applications for now');
    await deleteAffiliate(program().id, items[0]?.id ?? '', undefined, new Date());
    for (const link of Object.keys(items[0]?.links ?? {}))
      await deleteLink(program().id, { id: link }, undefined, new Date());
    waitSeconds(61);
    await openForm();
  });

  it('to a program with room on the FREE plan for one record sees no form, since a new affiliate has a link too', async () => {
    await edit({}, await storeProgram('FREE'));
    vi.spyOn(bounds as { recordsOfFreeProgram: number }, 'recordsOfFreeProgram', 'get').mockReturnValue(3);
    await applyAs();
    const proof = await openForm();
    await receiveAll();
    waitSeconds(5);
    expect((await post({ ...person(), ...proof })).status).toBe(409);
    expect((await portalBrowser(program()).visit('/apply')).text).toContain('no more applications for now');
    expect(sent()).toHaveLength(1);
  });
});

describe('a decision', () => {
  const applicant = async () => {
    const email = freshEmail();
    await applyAs(person(email));
    await receiveAll();
    const found = await find(email);
    if (!found) throw new Error('Nobody applied');
    return found;
  };
  const decide = (affiliateId: string, decision: 'APPROVE' | 'DECLINE', message: string | null = null) =>
    outcomeOf(() => decideApplication(program(), { affiliateId, decision, message }, new Date()));

  it('to approve makes the affiliate active', async () => {
    const { id, email } = await applicant();
    expect(await decide(id, 'APPROVE')).toBe('accepted');
    expect(await find(email)).toMatchObject({ status: 'ACTIVE', application: { status: 'APPROVED' } });
  });

  it('to decline leaves the affiliate inactive', async () => {
    const { id, email } = await applicant();
    expect(await decide(id, 'DECLINE', 'Not now')).toBe('accepted');
    expect(await find(email)).toMatchObject({ status: 'INACTIVE', application: { status: 'DECLINED' } });
  });

  it('is made once, whoever decides at the same moment', async () => {
    const { id } = await applicant();
    const outcomes = await Promise.all([decide(id, 'APPROVE'), decide(id, 'DECLINE'), decide(id, 'APPROVE')]);
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome !== 'accepted')).toEqual([{ status: 409 }, { status: 409 }]);
  });

  it('stays as it is where another one was slower', async () => {
    const { id, email } = await applicant();
    const slower = interrupted(
      () => decide(id, 'APPROVE'),
      () => decide(id, 'DECLINE'),
      'transaction',
    );
    expect(await slower).toEqual({ status: 409 });
    expect(await find(email)).toMatchObject({ status: 'INACTIVE', application: { status: 'DECLINED' } });
  });

  it('is none about who did not apply, was banned meanwhile, or is of another program', async () => {
    const [waiting, banned, inactive] = [
      await applicant(),
      await applicant(),
      await storeAffiliate(program(), { status: 'INACTIVE' }),
    ];
    await updateAffiliate(program().id, { affiliateId: banned.id, status: 'banned' }, undefined, new Date());
    expect([await decide(banned.id, 'APPROVE'), await decide(inactive.id, 'APPROVE')]).toEqual([
      { status: 409 },
      { status: 409 },
    ]);
    const other = await storeProgram();
    const elsewhere = { affiliateId: waiting.id, decision: 'APPROVE', message: null } as const;
    expect(await outcomeOf(() => decideApplication(other, elsewhere, new Date()))).toEqual({ status: 404 });
  });

  it('by the API is an approval', async () => {
    const { id, email } = await applicant();
    await updateAffiliate(program().id, { affiliateId: id, status: 'active' }, undefined, new Date());
    expect(await find(email)).toMatchObject({ status: 'ACTIVE', application: { status: 'APPROVED' } });
  });
});
