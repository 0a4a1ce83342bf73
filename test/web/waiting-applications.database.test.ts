import { describe, expect, it } from 'vitest';
import { bounds } from '../../shared/contract/bounds.ts';
import { affiliates, waitingAffiliates } from '../../shared/domain/affiliates/repository.ts';
import { updateAffiliate } from '../../shared/domain/affiliates/update-affiliate.ts';
import { deleteAffiliate } from '../../shared/domain/deletions/delete-affiliate.ts';
import { decideApplication } from '../../shared/domain/portal/decide-application.ts';
import { receiveApplication } from '../../shared/domain/portal/receive-application.ts';
import { putItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { freshEmail, person, testApplications, waitSeconds } from '../support/applications.ts';
import { interrupted } from '../support/interrupted.ts';
import { portalBrowser } from '../support/portal-pages.ts';
import { storeProgram } from '../support/webhooks.ts';

const { program, edit, openForm, post, applyAs, sent, receiveAll, mailed, find } = testApplications();

const waiting = async () => (await affiliates.page(program().id, { limit: 100 }, waitingAffiliates)).items;
const slotsTaken = async () =>
  (await affiliates.valuesBeginningWith(program().id, 'SLOT', '', { count: 1000 })).map(({ value }) => value);

/** As applications of others would. */
const takeSlots = async (count: number) => {
  const { id } = program();
  for (let slot = 0; slot < count; slot++)
    await putItem('records', { pk: partition(id, 'AFFILIATE', 'SLOT'), sk: String(slot), id: `other-${slot}` });
};

const decide = (affiliateId: string, decision: 'APPROVE' | 'DECLINE') =>
  decideApplication(program(), { affiliateId, decision, message: null }, new Date());

describe.each([
  { plan: 'FREE', most: bounds.waitingApplicationsOfFreeProgram },
  { plan: 'BUSINESS', most: bounds.waitingApplicationsOfBusinessProgram },
] as const)('of a program on the $plan plan at most $most applications wait', ({ plan, most }) => {
  const almostFull = async (free: number) => {
    await edit({}, await storeProgram(plan));
    await takeSlots(most - free);
    expect(await slotsTaken()).toHaveLength(most - free);
  };

  it('however many come at once', async () => {
    await almostFull(2);
    for (let at = 0; at < 5; at++) await applyAs();
    await Promise.all(sent().map((request) => receiveApplication(request, new Date())));
    expect(await waiting()).toHaveLength(2);
    expect(await slotsTaken()).toHaveLength(most);
    expect(new Set(mailed().map(({ to }) => to)).size).toBe(2);
  });

  it('also where another one takes the last place meanwhile', async () => {
    await almostFull(1);
    await applyAs();
    await applyAs();
    const [first, second] = sent();
    if (!first || !second) throw new Error('Two were sent');
    await interrupted(
      () => receiveApplication(first, new Date()),
      () => receiveApplication(second, new Date()),
      'transaction',
    );
    expect((await waiting()).map(({ email }) => email)).toEqual([second.email]);
    expect(await slotsTaken()).toHaveLength(most);
  });

  it('and the page says so before the form is filled in, and after', async () => {
    await almostFull(1);
    const proof = await openForm();
    waitSeconds(5);
    await applyAs();
    await receiveAll();
    const refused = await post({ ...person(), ...proof });
    expect([refused.status, refused.text.includes('Nothing was sent')]).toEqual([409, true]);
    expect(sent()).toHaveLength(1);
    const { status, text } = await portalBrowser(program()).visit('/apply');
    expect([status, text.includes('no more applications for now'), text.includes('data-proof')]).toEqual([
      200,
      true,
      false,
    ]);
  });
});

describe('the place of an application that waits', () => {
  const applied = async (email = freshEmail()) => {
    await applyAs(person(email));
    await receiveAll();
    const found = await find(email);
    if (!found) throw new Error('Nobody applied');
    expect(await slotsTaken()).toEqual([String(found.waitingSlot)]);
    return found;
  };

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['approved', (id) => decide(id, 'APPROVE')],
    ['declined', (id) => decide(id, 'DECLINE')],
    [
      'approved by the API',
      (id) => updateAffiliate(program().id, { affiliateId: id, status: 'active' }, undefined, new Date()),
    ],
    ['banned', (id) => updateAffiliate(program().id, { affiliateId: id, status: 'banned' }, undefined, new Date())],
    ['deleted', (id) => deleteAffiliate(program().id, id, undefined, new Date())],
  ])('is free once it is %s', async (_what, act) => {
    const { id } = await applied();
    await act(id);
    expect(await slotsTaken()).toEqual([]);
  });

  it('is kept by an edit that decides nothing', async () => {
    const { id, waitingSlot } = await applied();
    await updateAffiliate(
      program().id,
      { affiliateId: id, status: 'inactive', firstName: 'Noor' },
      undefined,
      new Date(),
    );
    expect(await slotsTaken()).toEqual([String(waitingSlot)]);
  });

  it('is needed by whoever applies again', async () => {
    await edit({}, await storeProgram('FREE'));
    const email = freshEmail();
    const { id } = await applied(email);
    await decide(id, 'DECLINE');
    waitSeconds(bounds.daysUntilNextApplication * 24 * 60 * 60);
    await applyAs(person(email));
    await takeSlots(bounds.waitingApplicationsOfFreeProgram);
    await receiveAll();
    expect(await find(email)).toMatchObject({ application: { status: 'DECLINED' }, waitingSlot: null });
  });
});
