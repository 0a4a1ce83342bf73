import { expect, it } from 'vitest';
import { dayText } from '../../shared/web/components/time.tsx';
import { storeGroup } from '../domain/commissions/stored-group.ts';
import { storeAffiliate, storeSale } from '../support/domain.ts';
import { openPages } from '../support/pages.ts';
import { testQueues } from '../support/queues.ts';
import { storeProgram } from '../support/webhooks.ts';

testQueues();

const day = 24 * 60 * 60 * 1000;
const afterNow = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();

const begin = async (holdDays: number) => {
  const program = await storeProgram();
  const { id: groupId } = await storeGroup(program, { holdDays, minimumPayoutMinor: 500 });
  const amara = await storeAffiliate(program, { firstName: 'Amara', lastName: 'Okafor', groupId });
  const bola = await storeAffiliate(program, { firstName: 'Bola', lastName: 'Ojo', groupId });
  const ends = afterNow(20 * day);
  await storeSale(program, amara.id, { createdAt: afterNow(-10 * day), payableAt: ends });
  await storeSale(program, amara.id, { createdAt: afterNow(-40 * day), payableAt: afterNow(-10 * day) });
  await storeSale(program, bola.id, { createdAt: afterNow(-day), commissionEarnedMinor: 499 });
  const pages = await openPages(program.ownerEmail);
  return { program, amara, pages, path: `/programs/${program.id}`, until: `on hold until ${dayText(ends)}`, ends };
};

it('the preview, the affiliate, the statement and the overview say what is on hold, and until when', async () => {
  const { amara, pages, path, until, ends } = await begin(30);
  const shown = async (address: string) => (await pages.visit(`${path}${address}`)).text;
  const preview = (await pages.submit(`${path}/payout-batches/preview`, {})).text;
  expect(preview).toContain(`1 sale, until ${dayText(ends)} at the latest`);
  expect(preview).toMatch(/Below the minimum<\/dt><dd>1 affiliate</);
  expect(preview).not.toContain('Bola Ojo');
  expect(await shown(`/affiliates/${amara.id}`)).toContain(`$10.00 ${until}`);
  expect(await shown('')).toContain(`$10.00 ${until}`);
  const from = afterNow(-60 * day).slice(0, 10);
  const statement = await shown(`/affiliates/${amara.id}/statement?from=${from}&to=${afterNow(0).slice(0, 10)}`);
  expect(statement).toContain(`$10.00 ${until}`);
  expect(statement).toContain(`O${until.slice(1)}</td>`);
});

it('what nothing is said about is not on hold', async () => {
  const program = await storeProgram();
  const amara = await storeAffiliate(program);
  await storeSale(program, amara.id, { createdAt: afterNow(-10 * day) });
  const pages = await openPages(program.ownerEmail);
  const path = `/programs/${program.id}`;
  const statement = `/affiliates/${amara.id}/statement?from=${afterNow(-60 * day).slice(0, 10)}&to=${afterNow(0).slice(0, 10)}`;
  for (const address of ['', `/affiliates/${amara.id}`, statement])
    expect((await pages.visit(`${path}${address}`)).text.toLowerCase(), address).not.toContain('on hold');
  expect((await pages.submit(`${path}/payout-batches/preview`, {})).text.toLowerCase()).not.toContain('on hold');
});

it('a commission that is reviewed is paid after the review, and a rejected one never', async () => {
  const program = await storeProgram();
  const amara = await storeAffiliate(program);
  await storeSale(program, amara.id, { createdAt: afterNow(-2 * day), reviewStatus: 'HELD', reviewReasons: ['BURST'] });
  await storeSale(program, amara.id, { createdAt: afterNow(-day), reviewStatus: 'REJECTED', commissionEarnedMinor: 0 });
  const pages = await openPages(program.ownerEmail);
  const { text } = await pages.visit(`/programs/${program.id}/affiliates/${amara.id}/statement`);
  for (const words of ['After the review', 'Nothing']) expect(text).toContain(`>${words}</td>`);
  expect(text).not.toContain('Not yet');
});
