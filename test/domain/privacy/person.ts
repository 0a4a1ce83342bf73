import { randomUUID } from 'node:crypto';
import { enterLink } from '../../../shared/domain/affiliates/link-entry.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { orderWrite } from '../../../shared/domain/attribution/customers.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { searchWordsOf } from '../../../shared/platform/table/search.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { deliveries, events } from '../../../shared/webhooks/delivery/repository.ts';
import {
  at,
  now,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeLink,
  storeReferral,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { waitingApplication } from '../../support/stored-records.ts';
import { makeStoredDelivery } from '../../webhooks/fixtures.ts';

/** A name and an email that nothing else in the tables has. */
export const newPerson = () => {
  const unique = randomUUID()
    .slice(-12)
    .replaceAll(/[0-9]/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
  const name = { firstName: `Zuri${unique}`, lastName: `Quill${unique}` };
  return { ...name, fullName: `${name.firstName} ${name.lastName}`, email: `zuri.${unique}@example.com`, unique };
};
export type Someone = ReturnType<typeof newPerson>;

/** Without what no response has. */
const shown = ({ searchWords: _words, links: _links, contentHash: _hash, ...record }: Record<string, unknown>) =>
  record;

const storeEvent = async (
  { id: programId }: TestProgram,
  type: string,
  data: Record<string, unknown>,
  previousAttributes?: object,
) => {
  const id = randomUUID();
  const fields = { createdAt: now.toISOString(), updatedAt: now.toISOString(), version: 1, ttl: 2_000_000_000 };
  const body = JSON.stringify({
    id,
    type,
    timestamp: fields.createdAt,
    actor: null,
    data: shown(data),
    previousAttributes,
  });
  const attempt = {
    attemptedAt: fields.createdAt,
    durationMilliseconds: 1,
    responseStatus: 500,
    error: 'returned 500',
  };
  const delivery = makeStoredDelivery({
    id: randomUUID(),
    eventId: id,
    webhookId: 'w',
    attempts: [{ ...attempt, responseBody: `cannot take ${body}` }],
  });
  await writeTogether([
    ...events.createWrites(programId, { ...fields, id, type, body }),
    ...deliveries.createWrites(programId, delivery),
  ]);
  return { eventId: id, deliveryId: delivery.id };
};

/** All that a program knows of somebody who is an affiliate and a customer. */
export const storePerson = async (program: TestProgram, person: Someone) => {
  const { email, firstName, lastName, fullName, unique } = person;
  const texts = { firstName, lastName, email };
  const affiliate = await storeAffiliate(program, {
    ...texts,
    payoutEmail: `paid-${email}`,
    externalId: `partner-${unique}`,
    searchWords: searchWordsOf({ name: fullName, email }),
    metadata: { about: fullName },
    application: waitingApplication({
      status: 'DECLINED',
      decidedAt: now.toISOString(),
      entries: [{ question: 'Where do you write?', text: `As ${fullName}` }],
      message: `Dear ${firstName}`,
    }),
  });
  const link = await storeLink(program, {
    link: firstName,
    affiliateId: affiliate.id,
    destinationUrl: `https://example.com/${unique}`,
    clicks: 3,
  });
  await enterLink(program.id, link, now);
  const coupon = await storeCoupon(program);
  const code = await storeCode(program, coupon, { code: `${firstName}20`, affiliateId: affiliate.id });
  const forCustomer = await storeCode(program, coupon, { limitToCustomers: true, customerId: `user-${unique}` });
  const referrer = await storeAffiliate(program, { payoutEmail: email, metadata: { broughtBy: `By ${email}` } });
  const referral = await storeReferral(program, {
    name: fullName,
    email,
    affiliateId: referrer.id,
    referredUserExternalId: `user-${unique}`,
    notes: `Knows ${firstName}`,
    metadata: { phone: unique },
  });
  const ofSale = { name: fullName, email, searchWords: searchWordsOf({ name: fullName, email }) };
  const sale = await storeSale(program, referrer.id, {
    ...ofSale,
    referralId: referral.id,
    customerId: `user-${unique}`,
    externalId: `order-${email}`,
    contentHash: 'hash',
    metadata: { gift: fullName },
    totalEarnedMinor: 12_345,
  });
  const withoutEmail = await storeSale(program, referrer.id, { name: fullName, customerId: `user-${unique}` });
  await writeTogether([
    orderWrite(program.id, email, at(-5000)),
    orderWrite(program.id, `ID user-${unique}`, at(-9000)),
  ]);
  const former = await storeAffiliate(program, { ...texts, email: `former-${email}`, status: 'BANNED' });
  await writeTogether([
    affiliates.tombstoneWrite(program.id, { ...former, id: randomUUID(), email }, now),
    referrals.deletionWrite(program.id, randomUUID(), now),
  ]);
  await writeTogether(affiliates.deleteWrites(program.id, former));
  const made = [
    await storeEvent(
      program,
      'affiliate.updated',
      { ...affiliate, name: fullName, affiliateLinks: [{ id: link.id, link: firstName }] },
      { firstName: `Old${firstName}` },
    ),
    await storeEvent(program, 'link.created', {
      ...link,
      totalRevenueMinor: 0,
      affiliate: { id: affiliate.id, name: fullName, email },
    }),
    await storeEvent(program, 'promotional_code.created', { ...code, affiliate: { id: affiliate.id, ...texts } }),
    await storeEvent(program, 'sale.updated', { ...sale, id: Number(sale.id) }, { name: `Old${fullName}` }),
    await storeEvent(program, 'sale.created', { ...withoutEmail, id: Number(withoutEmail.id) }),
    await storeEvent(program, 'referral.deleted', { id: randomUUID(), name: fullName, email, notes: fullName }),
  ];
  return { affiliate, link, code, forCustomer, referrer, referral, sale, withoutEmail, made };
};
