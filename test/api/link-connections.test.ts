import { expect, it } from 'vitest';
import { codesOfLink } from '../../shared/domain/promotional-codes/link-connections.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { storeAll, unnoticed } from '../support/sales.ts';
import { makeStoredCode } from '../support/stored-records.ts';

// docs/behavior.md#codes-on-links: the connections are read from the table.

it('a code assigned to an affiliate is connected to the affiliate’s link and to no other, until it is deleted', async () => {
  const api = await makeProgram();
  const [affiliate, other] = await Promise.all([makeAffiliate(api), makeAffiliate(api)]);
  const coupon = await makeCoupon(api);
  const first = await makeCode(api, coupon.id, { affiliateId: affiliate.id });
  const second = await makeCode(api, coupon.id, { affiliateEmail: affiliate.email });
  await makeCode(api, coupon.id);
  const connected = () => codesOfLink(api.programId, affiliate.affiliateLinks[0].id);

  await expect.poll(connected, { timeout: 30_000 }).toEqual([
    { id: second.id, code: second.code },
    { id: first.id, code: first.code },
  ]);
  expect(await codesOfLink(api.programId, other.affiliateLinks[0].id)).toEqual([]);

  await api.delete('/promotional-codes', { promotionalCodeId: second.id });
  await expect.poll(connected, { timeout: 30_000 }).toEqual([{ id: first.id, code: first.code }]);
});

it('a new link gets all codes of its affiliate, more than one step connects', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const { id: couponId } = await makeCoupon(api);
  const codes = Array.from({ length: 60 }, (_, at) =>
    makeStoredCode({ id: newRecordId(new Date()), couponId, code: `CODE-${at}`, affiliateId: affiliate.id }),
  );
  await storeAll(unnoticed(codes.flatMap((code) => promotionalCodes.createWrites(api.programId, code))));
  const { body: link } = await api.post('/links', { link: 'second', affiliateId: affiliate.id });
  const connected = async () => (await codesOfLink(api.programId, link.id)).map(({ code }) => code).sort();
  const all = codes.map(({ code }) => code).sort();
  await expect.poll(connected, { timeout: 30_000 }).toEqual(all);
});

it('a deleted link is taken from its sales, and its connections to codes go', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const { id: couponId } = await makeCoupon(api);
  await makeCode(api, couponId, { affiliateId: affiliate.id });
  const { body: link } = await api.post('/links', { link: 'gone-soon', affiliateId: affiliate.id });
  const { body: sale } = await api.post('/sales', { totalEarned: 10, referralId: 'gone-soon' });
  expect(sale.affiliateLinkId).toBe(link.id);
  const connected = () => codesOfLink(api.programId, link.id);
  await expect.poll(connected, { timeout: 30_000 }).toHaveLength(1);

  expect((await api.delete('/links', { id: link.id })).status).toBe(200);
  const linkOfSale = async () => (await api.get(`/sales/${sale.id}`)).body.affiliateLinkId;
  await expect.poll(linkOfSale, { timeout: 30_000 }).toBe(null);
  await expect.poll(connected, { timeout: 30_000 }).toEqual([]);
});
