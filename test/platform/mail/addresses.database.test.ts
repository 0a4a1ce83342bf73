import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  allowAddress,
  suppressAddress,
  suppressionsOf,
  switchOffKind,
  wantsMail,
} from '../../../shared/platform/mail/addresses.ts';
import { handleFeedback, MailFeedback } from '../../../shared/platform/mail/feedback.ts';
import { now } from '../../support/domain.ts';

const newAddress = () => `${randomUUID()}@example.com`;
const wants = (address: string, programId: string = randomUUID()) => wantsMail(address, programId, 'FIRST_SALE');
const handle = (feedback: object) => handleFeedback(MailFeedback.parse(feedback), now);
const bounce = (bounceType: string, ...addresses: string[]) => ({
  eventType: 'Bounce',
  bounce: { bounceType, bouncedRecipients: addresses.map((emailAddress) => ({ emailAddress, status: '5.1.1' })) },
  mail: { messageId: randomUUID() },
});
const complaint = (emailAddress: string, complaintFeedbackType?: string | null) => ({
  eventType: 'Complaint',
  complaint: { complainedRecipients: [{ emailAddress }], complaintFeedbackType },
});

it('a permanent bounce ends all mails to the address, in whatever letter case it is named', async () => {
  const [address, another] = [newAddress(), newAddress()];
  await handle(bounce('Permanent', address.toUpperCase(), another));
  expect([await wants(address), await wants(another), await wants(newAddress())]).toEqual([false, false, true]);
  expect([...(await suppressionsOf([address, newAddress()]))]).toEqual([
    [address, { reason: 'BOUNCE', at: now.toISOString() }],
  ]);
});

it.each(['Transient', 'Undetermined'])('a bounce that is %s ends none', async (type) => {
  const address = newAddress();
  await handle(bounce(type, address));
  expect(await wants(address)).toBe(true);
});

it.each(['abuse', 'other', null, undefined])('a complaint of the type %s ends all', async (type) => {
  const address = newAddress();
  await handle(complaint(address, type));
  expect(await wants(address)).toBe(false);
});

it('a report that a mail is not spam, which SES calls a complaint too, ends none', async () => {
  const address = newAddress();
  await handle(complaint(address, 'not-spam'));
  expect(await wants(address)).toBe(true);
});

it('the first reason stays', async () => {
  const address = newAddress();
  await handle(complaint(address));
  await handle(bounce('Permanent', address));
  await suppressAddress(address, 'BOUNCE', now);
  expect((await suppressionsOf([address])).get(address)?.reason).toBe('COMPLAINT');
  expect(await wants(address)).toBe(false);
});

it('an address that is allowed again gets mails, until it bounces again', async () => {
  const [address, other] = [newAddress(), newAddress()];
  expect(await allowAddress(address)).toBe(false);
  await handle(bounce('Permanent', address, other));
  expect(await allowAddress(address)).toBe(true);
  expect([await wants(address), await wants(other)]).toEqual([true, false]);
  await handle(bounce('Permanent', address));
  expect(await wants(address)).toBe(false);
});

it('feedback that names no valid address, or an event of another kind, changes nothing', async () => {
  await handle(bounce('Permanent', 'not an address'));
  expect(MailFeedback.safeParse({ eventType: 'Delivery', delivery: {} }).success).toBe(false);
});

it('a kind that was switched off is that of one program and one address', async () => {
  const [address, programId] = [newAddress(), randomUUID()];
  await switchOffKind({ address, programId, kind: 'FIRST_SALE' }, now);
  await switchOffKind({ address, programId, kind: 'FIRST_SALE' }, now);
  expect(await wants(address, programId)).toBe(false);
  expect(await wants(address)).toBe(true);
  expect(await wants(newAddress(), programId)).toBe(true);
  expect(await wantsMail(address, programId, 'PORTAL_SIGN_IN')).toBe(true);
});
