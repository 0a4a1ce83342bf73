import { beforeAll, describe, expect, it } from 'vitest';
import { changeMailKind, changeSender } from '../../shared/domain/programs/change-mail-settings.ts';
import { incrementDayWrite } from '../../shared/domain/statistics/sales-by-day.ts';
import { send } from '../../shared/platform/queue/send.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { addDays, weekBefore } from '../../shared/platform/time/days.ts';
import { freshEmail, signedIn } from '../support/browser.ts';
import { storeApplicant } from '../support/domain.ts';
import { addressIn, mailsTo, nextMailTo } from '../support/mails.ts';
import { pathOfPortal } from '../support/portal.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

// What happens in a program, and the mail that follows from it.

let api: Api;
beforeAll(async () => {
  api = await makeProgram({ name: 'Tulip Shop', currency: 'EUR', commissionRate: 20 });
});

const sell = async (affiliateId: string, totalEarned: number) => {
  const { status, body } = await api.post('/sales', { totalEarned, referralId: affiliateId, email: freshEmail() });
  expect(status).toBe(200);
  return body;
};

/** Once something later was mailed, what would have been mailed before is there too. */
const afterAnotherFirstSale = async (): Promise<void> => {
  const { id, email } = await makeAffiliate(api);
  await sell(id, 1);
  await nextMailTo(email);
};

describe('the first sale of an affiliate', () => {
  it('is mailed with its commission, and the ones after it are not', async () => {
    const affiliate = await makeAffiliate(api);
    await sell(affiliate.id, 62.5);
    const mail = await nextMailTo(affiliate.email);
    expect(mail.subject).toBe('Your first sale for Tulip Shop');
    for (const body of [mail.text, mail.html]) expect(body).toContain('€12.50');
    await sell(affiliate.id, 100);
    await afterAnotherFirstSale();
    expect(await mailsTo(affiliate.email)).toHaveLength(1);
  });

  it('is one mail where many sales come at once', async () => {
    const affiliate = await makeAffiliate(api);
    await Promise.all(Array.from({ length: 8 }, (_, at) => sell(affiliate.id, at + 1)));
    await nextMailTo(affiliate.email);
    await afterAnotherFirstSale();
    expect(await mailsTo(affiliate.email)).toHaveLength(1);
  });
});

describe('whoever applied', () => {
  it('gets a mail with the way to the portal when the API makes them active', async () => {
    const applicant = await storeApplicant({ id: api.programId });
    const approval = { affiliateId: applicant.id, status: 'active' };
    expect((await api.put('/affiliates', approval)).body.application).toMatchObject({ status: 'APPROVED' });
    const mail = await nextMailTo(applicant.email);
    expect(mail.subject).toBe('Welcome to Tulip Shop');
    expect(addressIn(mail, '/portal/')).toContain(await pathOfPortal(api.programId));
    // What changes nothing more mails nothing more.
    await api.put('/affiliates', approval);
    await afterAnotherFirstSale();
    expect(await mailsTo(applicant.email)).toHaveLength(1);
  });

  it('gets a mail with the text of a decline on the page, which the API returns', async () => {
    const { id, email } = await storeApplicant({ id: api.programId });
    const manager = await signedIn(api.ownerEmail);
    const path = `/programs/${api.programId}/affiliates/${id}/application`;
    const form = { decision: 'DECLINE', message: 'We take bloggers in spring.' };
    expect((await manager.submit(path, form)).status).toBe(303);
    const mail = await nextMailTo(email);
    expect([mail.subject, mail.text]).toEqual([
      'Your application to Tulip Shop',
      expect.stringContaining(form.message),
    ]);
    const { application } = (await api.get(`/affiliates/${id}`)).body;
    expect(application).toMatchObject({ status: 'DECLINED', message: form.message });
  });
});

it('a payout that is paid is mailed to its affiliate with the amount, from the sender that the program has set', async () => {
  const program = await makeProgram({ name: 'Rose Shop', commissionRate: 10 });
  await changeMailKind(program.programId, 'FIRST_SALE', { isOff: true, subject: null, opening: null }, new Date());
  const sender = { senderName: 'Noor, of “Roses”', replyTo: 'noor@example.com' };
  await changeSender(program.programId, sender, new Date());
  const own = { isOff: false, subject: 'Money from {program}', opening: 'Here it is.\u202E Thank you.' };
  await changeMailKind(program.programId, 'PAYOUT_PAID', own, new Date());
  const affiliate = await makeAffiliate(program);
  await program.post('/sales', { totalEarned: 1234.5, referralId: affiliate.id, email: freshEmail() });
  const { body: batch } = await program.post('/payout-batches', {});
  const status = async () => (await program.get(`/payout-batches/${batch.id}`)).body.status;
  await expect.poll(status, { timeout: 30_000 }).toBe('READY');
  expect((await program.put('/payout-batches', { payoutBatchId: batch.id, status: 'PAID' })).status).toBe(200);
  const mail = await nextMailTo(affiliate.email);
  expect(mail).toMatchObject({
    from: 'Noor, of “Roses” <programs@local.example>',
    replyTo: 'noor@example.com',
    subject: 'Money from Rose Shop',
  });
  for (const part of ['Here it is.', '$123.45', 'Sent by Rose Shop']) expect(mail.text).toContain(part);
  expect(mail.headers).not.toHaveProperty('List-Unsubscribe');
  // Also none about the first sale, which is switched off.
  expect(await mailsTo(affiliate.email)).toHaveLength(1);
});

it('the summary of a week is mailed to the owner, and ends by one click', async () => {
  const affiliate = await makeAffiliate(api);
  await sell(affiliate.id, 10);
  await nextMailTo(affiliate.email);
  const { programId, ownerEmail } = api;
  // As if it were the Monday after this week.
  const monday = addDays(weekBefore('UTC', new Date()).first, 14);
  const summary = (day: string) => send('weekly-summary', { time: `${day}T12:00:00.000Z`, programId }, programId);
  await summary(monday);
  const mail = await nextMailTo(ownerEmail);
  expect(mail.subject).toBe('Your week at Tulip Shop');
  for (const part of ['Revenue', 'Commissions', 'Sales', '€']) expect(mail.text).toContain(part);
  expect(addressIn(mail, `/programs/${programId}`)).toBeTruthy();
  expect(mail.headers['List-Unsubscribe']).toBe(`<${addressIn(mail, '/mails/unsubscribe/')}>`);
  await summary(monday);
  await afterAnotherFirstSale();
  expect(await mailsTo(ownerEmail)).toHaveLength(1);
});

it('the schedule visits every program: one whose week before had a click gets its summary', async () => {
  const later = await makeProgram({ name: 'Later Shop' });
  const now = new Date();
  const { first } = weekBefore('UTC', now);
  await writeTogether([incrementDayWrite(later.programId, first, { clicks: 7n })]);
  // From a program on, as a run goes on that had no time for all.
  await send('weekly-summary', { time: now.toISOString(), after: api.programId }, 'weekly-summary');
  const { text } = await nextMailTo(later.ownerEmail);
  expect(text).toContain('Clicks: 7');
});
