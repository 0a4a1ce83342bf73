import { beforeEach, expect, it, vi } from 'vitest';
import { mailVariables } from '../../../shared/contract/mail-settings.ts';
import { updatePayoutBatch as updateOperation } from '../../../shared/contract/payout-batches.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../../shared/domain/affiliates/rules.ts';
import { mailPayouts } from '../../../shared/domain/payouts/pay/mails.ts';
import { payoutsOf } from '../../../shared/domain/payouts/payouts.ts';
import { updatePayoutBatch } from '../../../shared/domain/payouts/update-payout-batch.ts';
import { changeMailKind } from '../../../shared/domain/programs/change-mail-settings.ts';
import { programs } from '../../../shared/domain/programs/repository.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { at, bodyOf, now, storeAffiliate, storeCoupon, storeSale } from '../../support/domain.ts';
import { payBatch, prepareBatch } from '../../support/payout-batches.ts';
import { testQueues } from '../../support/queues.ts';
import { storeProgram } from '../../support/webhooks.ts';
import { deliver, deliverToTheDying } from './deliver.ts';

const { sentTo } = testQueues();
beforeEach(() => {
  vi.stubEnv(mailVariables.from, 'programs@example.com');
  vi.stubEnv('APP_URL', 'https://app.example.com');
});

const mails = () => sentTo('mails').map(({ body }) => body);
const idsOfMails = () => [...new Set(mails().map(({ id }) => id))];

/** A batch that is just PAID, with a payout of 10.00 for each affiliate. */
const setUp = async (count: number) => {
  const program = await storeProgram();
  const people: StoredAffiliate[] = [];
  for (let each = 0; each < count; each++) {
    const affiliate = await storeAffiliate(program);
    await storeSale(program, affiliate.id, { createdAt: at(-1000), commissionEarnedMinor: 1000 });
    people.push(affiliate);
  }
  const { id } = await prepareBatch(program);
  const pay = () =>
    updatePayoutBatch(program.id, bodyOf(updateOperation, { payoutBatchId: id, status: 'PAID' }), undefined, now);
  return { program, people, batchId: id, pay };
};

it('each affiliate of a paid batch gets a mail with the amount, as often as its messages come', async () => {
  const { program, people, batchId, pay } = await setUp(3);
  await pay();
  await deliver(program.id, batchId, 'pay', { copies: 2 });
  expect(idsOfMails()).toHaveLength(3);
  expect(mails()).toHaveLength(6);
  for (const { email } of people)
    expect(mails()).toContainEqual(
      expect.objectContaining({
        programId: program.id,
        kind: 'PAYOUT_PAID',
        to: email,
        data: {
          amountMinor: '1000',
          currency: 'USD',
          paidOn: '2026-03-01',
          code: null,
          url: `https://app.example.com/portal/${program.handle ?? program.id}`,
        },
      }),
    );
});

it('the mail names the day on which the program paid, in its own time zone', async () => {
  const { program, batchId, pay } = await setUp(1);
  const inKiribati = { ...program, timeZone: 'Pacific/Kiritimati' };
  await writeTogether(programs.updateWrites(program.id, program, inKiribati));
  await pay();
  await deliver(program.id, batchId, 'pay');
  expect(mails()).toMatchObject([{ data: { paidOn: '2026-03-02' } }]);
});

it('a worker that dies at every write mails each affiliate once', async () => {
  const { program, batchId, pay } = await setUp(2);
  await pay();
  await deliverToTheDying(program.id, batchId, 'pay');
  expect(idsOfMails()).toHaveLength(2);
});

it('who was banned or deleted since gets none', async () => {
  const { program, people, batchId, pay } = await setUp(3);
  const batch = await pay();
  await deliver(program.id, batchId, 'pay');
  const [banned, deleted, other] = people;
  if (!banned || !deleted || !other) throw new Error('There are three');
  await writeTogether([
    ...affiliates.updateWrites(program.id, banned, { ...banned, status: 'BANNED' }),
    ...affiliates.deleteWrites(program.id, deleted),
  ]);
  const before = mails().length;
  expect(await mailPayouts(program.id, batch, now)(undefined)).toBeUndefined();
  expect(
    mails()
      .slice(before)
      .map(({ to }) => to),
  ).toEqual([other.email]);
});

it('a payout in a promotional code names it', async () => {
  const program = await storeProgram();
  const { id: couponId } = await storeCoupon(program, { couponCategory: 'PAYOUT' });
  const affiliate = await storeAffiliate(program, { paymentMethod: 'COUPON' });
  await storeSale(program, affiliate.id, { createdAt: at(-1000), commissionEarnedMinor: 1000 });
  const batch = await prepareBatch(program, { paymentMethod: 'COUPON', couponId });
  await payBatch(program, batch);
  const payout = (await payoutsOf(program.id, batch.id, [affiliate.id])).get(affiliate.id);
  expect(payout?.promotionalCode?.code).toMatch(/^[A-Z0-9]{16}$/);
  expect(mails()).toMatchObject([{ to: affiliate.email, data: { code: payout?.promotionalCode?.code } }]);
});

it.each([
  { where: 'the program has switched it off', from: 'programs@example.com', isOff: true },
  { where: 'the stage sends no mails', from: '', isOff: false },
])('nobody is told where $where', async ({ from, isOff }) => {
  const { program, batchId, pay } = await setUp(1);
  await changeMailKind(program.id, 'PAYOUT_PAID', { isOff, subject: null, opening: null }, now);
  vi.stubEnv(mailVariables.from, from);
  await pay();
  await deliver(program.id, batchId, 'pay');
  expect(mails()).toEqual([]);
});
