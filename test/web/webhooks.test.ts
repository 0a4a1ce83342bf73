import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookTestEvent } from '../../events/webhook-test.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { writeAlone } from '../../shared/platform/table/write-alone.ts';
import { recordsInPart } from '../../shared/web/lists/list-part.ts';
import { newDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries, events, storedEvent } from '../../shared/webhooks/delivery/repository.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { allWebhooks, findSubscription, webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';
import '../support/program.ts';

let browser: Browser;
let programId: string;
let base: string;
let receiver: ScriptedReceiver;
/** Fails at first, and says so. */
const failsOnce = ({ attempt }: { attempt: number }) => (attempt === 1 ? { status: 503, body: 'not <b>now</b>' } : 204);

beforeAll(async () => {
  const ownerEmail = freshEmail();
  receiver = await startScriptedReceiver(failsOnce);
  ({ programId } = await createProgram({ name: 'Shop', ownerEmail }, new Date()));
  browser = await signedIn(ownerEmail);
  base = `/programs/${programId}/webhooks`;
});
afterAll(() => receiver.stop());

const secretIn = (html: string): string => /id="secret"[^>]*>([^<]+)</.exec(html)?.[1] ?? '';

/** Adds an endpoint by the form; the path of its page. */
const added = async (fields: Record<string, string> = {}): Promise<string> => {
  const form = { url: 'https://example.com/hooks', events: 'chosen', 'sale.created': 'on', ...fields };
  const { status, location, text } = await browser.submit(`${base}/new`, form);
  expect(status, text).toBe(303);
  return location?.pathname.replace(/\/secret$/, '') ?? '';
};
const stored = (path: string) => webhooks.get(programId, path.split('/').at(-1) ?? '');

describe('an endpoint', () => {
  it('of an automation platform is neither shown nor changed', async () => {
    const now = new Date();
    const body = { url: 'https://example.com/platform', eventTypes: ['sale.created' as const], active: true };
    const { id } = await createWebhook(programId, body, now, 'CONNECTOR');
    expect((await browser.visit(`${base}/${id}`)).status).toBe(404);
    const change = { url: `${body.url}/2`, events: 'all', active: 'on' };
    expect((await browser.submit(`${base}/${id}/change`, change)).status).toBe(404);
    expect(await findSubscription(programId, body)).toMatchObject({ id });
  });

  it('is added, shows its secret, is changed, switched on again and, after a question, deleted', async () => {
    const path = await added({ description: 'Mine' });
    expect(secretIn((await browser.visit(`${path}/secret`)).text)).toMatch(/^whsec_/);
    expect((await browser.visit(path)).text).not.toContain('whsec_');
    expect(await stored(path)).toMatchObject({ eventTypes: ['sale.created'], description: 'Mine', active: true });

    await browser.submit(`${path}/change`, { url: 'https://example.com/other', events: 'all' });
    expect(await stored(path)).toMatchObject({
      url: 'https://example.com/other',
      eventTypes: ['*'],
      description: null,
      active: false,
    });
    expect((await browser.visit(path)).text).toContain('>Activate<');
    await browser.submit(`${path}/switch-on`);
    expect((await stored(path))?.active).toBe(true);

    expect((await browser.visit(`${path}/delete`)).text).toContain('Delete this endpoint?');
    expect(await stored(path)).toBeDefined();
    expect((await browser.submit(`${path}/delete`)).location?.pathname).toBe(base);
    expect(await stored(path)).toBeUndefined();
  });

  it.each([
    [{ url: 'http://10.0.0.1/' }, 'Must begin with https://'],
    [{ events: 'chosen' }, 'Must be chosen below'],
    [{ events: '' }, 'Is required'],
  ])('with %o is refused beside the field, and what was entered is still there', async (fields, sentence) => {
    const before = (await allWebhooks(programId)).length;
    const form = { url: 'https://example.com/kept', events: 'all', description: 'Kept', ...fields };
    const { status, text } = await browser.submit(`${base}/new`, form);
    expect(status).toBe(400);
    expect(text).toContain(sentence);
    expect(text).toContain('value="Kept"');
    expect(await allWebhooks(programId)).toHaveLength(before);
  });

  it('gets one new secret however often the same form is sent', async () => {
    const path = await added();
    const before = (await stored(path))?.sealedSecret;
    const form = { previousSecretUntil: '' };
    const responses = await Promise.all([1, 2, 3].map(() => browser.submit(`${path}/rotate-secret`, form)));
    for (const { status, location } of responses) expect([status, location?.pathname]).toEqual([303, `${path}/secret`]);
    expect((await stored(path))?.sealedSecret).not.toBe(before);
    // After a second rotation this would be the secret in between.
    expect((await stored(path))?.previousSealedSecret).toBe(before);
  });
});

describe('the delivery log', () => {
  it('shows every attempt, and resending makes another', async () => {
    const path = await added({ url: receiver.url('/log') });
    const tested = await browser.submit(`${path}/test`, { eventType: 'sale.created' });
    const page = tested.location?.pathname ?? '';
    // The schedule's second attempt may come before the one by hand: the receiver takes both.
    await receiver.waitFor('/log', 1);
    const resent = await browser.submit(`${page}/resend`);
    expect([resent.status, resent.location?.pathname]).toEqual([303, page]);
    await receiver.waitFor('/log', 2);
    await expect.poll(async () => (await browser.visit(page)).text, { timeout: 30_000 }).toContain('resent manually');
    const { text } = await browser.visit(page);
    expect(text).toContain('Delivered');
    expect(text).toContain('503');
    expect(text).toContain('not &lt;b>now&lt;/b>');
    expect((await browser.visit(`${path}?status=SUCCEEDED`)).text).toContain(page);
    expect((await browser.visit(`${path}?status=FAILED`)).text).not.toContain(page);
  });

  it('has each of two test events', async () => {
    const path = await added({ url: receiver.url('/tests') });
    for (const eventType of ['sale.created', 'referral.created'])
      expect((await browser.submit(`${path}/test`, { eventType })).status).toBe(303);
    await receiver.waitFor('/tests', 2);
  });

  it('leads through all its parts, and shows each delivery once', async () => {
    const path = await added();
    const webhookId = path.split('/').at(-1) ?? '';
    const now = new Date();
    const made = Array.from({ length: recordsInPart + 2 }, () =>
      newDelivery(webhookTestEvent(newRecordId(now), webhookId, null, now), { id: webhookId, connection: null }),
    );
    await Promise.all(made.map((delivery) => writeAlone(deliveries.createWrites(programId, delivery))));
    const shown: string[] = [];
    const idsIn = (html: string) => [...html.matchAll(/deliveries\/([0-9a-f-]{36})"/g)].map(([, id]) => id ?? '');
    const first = (await browser.visit(`${path}?status=PENDING`)).text;
    shown.push(...idsIn(first));
    const older = /<a href="([^"]+)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(older).toContain('status=PENDING');
    const second = (await browser.visit(older)).text;
    shown.push(...idsIn(second));
    expect(second).not.toContain('rel="next"');
    expect(shown.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    expect((await browser.visit(older.replace('PENDING', 'FAILED'))).status).toBe(400);
  });
});

/** The forms of times that a browser's control has. */
const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 16);

describe('what an endpoint has missed', () => {
  it('is sent to it again since a time, and a mistake leaves the form as it was filled in', async () => {
    const path = await added({ url: receiver.url('/missed') });
    const webhookId = path.split('/').at(-1) ?? '';
    const before = new Date(Date.now() - 60 * 60_000);
    const failed = [before, new Date(before.getTime() - 60 * 60_000)].map((at) => {
      const event = webhookTestEvent(newRecordId(at), webhookId, null, at);
      const delivery = { ...newDelivery(event, { id: webhookId, connection: null }), status: 'FAILED' as const };
      return [...events.createWrites(programId, storedEvent(event)), ...deliveries.createWrites(programId, delivery)];
    });
    await writeTogether(failed.flat());
    for (const [since, problem] of [
      ['2020-01-01T00:00', 'Must lie within the last 30 days'],
      ['yesterday', 'Must be a time'],
    ] as const) {
      const { status, text } = await browser.submit(`${path}/missed`, { since });
      expect(status).toBe(400);
      expect(text).toContain(problem);
      expect(text).toContain(`value="${since}"`);
    }
    const sent = await browser.submit(`${path}/missed`, { since: minutesAgo(90) });
    expect([sent.status, sent.location?.pathname]).toEqual([303, path]);
    expect((await browser.visit(sent.location ?? '')).text).toContain('Missed events are being sent');
    await receiver.waitFor('/missed', 1);
    await browser.submit(`${path}/change`, { url: 'https://example.com/off', events: 'all' });
    const off = await browser.submit(`${path}/missed`, { since: minutesAgo(90) });
    expect([off.status, off.text.includes('role="alert"')]).toEqual([409, true]);
    expect(receiver.at('/missed')).toHaveLength(1);
  });
});

describe('events', () => {
  const shown = async (query = '') => (await browser.visit(`/programs/${programId}/events${query}`)).text;
  const idsIn = (html: string) =>
    [...html.matchAll(/href="[^"]*\/events\/([0-9a-f-]{36})"/g)].map(([, id]) => id ?? '');
  const day = (at: Date) => at.toISOString().slice(0, 10);

  it('are listed with their payloads, newest first, by type and period, each once through all parts', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000);
    const made = Array.from({ length: recordsInPart + 2 }, (_, at) => {
      const time = new Date(daysAgo(20).getTime() - at * 1000);
      const data = { id: newRecordId(time), name: '<b>Ana</b>', code: `CODE${at}` };
      const event = { id: newRecordId(time), type: 'coupon.created' as const, timestamp: time.toISOString() };
      return storedEvent({ ...event, body: JSON.stringify({ ...event, data }) });
    });
    const forgotten = storedEvent(webhookTestEvent(newRecordId(daysAgo(31)), programId, null, daysAgo(31)));
    await Promise.all([...made, forgotten].map((event) => writeAlone(events.createWrites(programId, event))));
    const first = await shown('?type=coupon.created');
    expect(first).toContain('&lt;b>Ana&lt;/b>');
    expect(first).toContain('&quot;code&quot;: &quot;CODE0&quot;');
    const older = /<a href="([^"]+)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = (await browser.visit(older)).text;
    expect(second).not.toContain('rel="next"');
    expect([...idsIn(first), ...idsIn(second)]).toEqual(made.map(({ id }) => id));
    expect(await shown('?type=sale.deleted')).toContain('No events match these filters.');
    expect(idsIn(await shown(`?to=${day(daysAgo(19))}`))).toEqual(idsIn(first));
    expect(idsIn(await shown(`?from=${day(daysAgo(10))}`))).not.toContain(made[0]?.id);
    expect(await shown('?type=')).not.toContain(forgotten.id);
    expect((await browser.visit(`/programs/${programId}/events/${forgotten.id}`)).status).toBe(404);
    expect((await browser.visit(`/programs/${programId}/events?type=nothing`)).status).toBe(400);
  });

  it('lead to their deliveries, to the record they are about, and back from a delivery', async () => {
    const path = await added({ url: receiver.url('/of-event') });
    const delivery = (await browser.submit(`${path}/test`)).location?.pathname ?? '';
    const [eventPath = ''] =
      /\/programs\/[^"]+\/events\/[0-9a-f-]{36}/.exec((await browser.visit(delivery)).text) ?? [];
    await receiver.waitFor('/of-event', 1);
    await expect.poll(async () => (await browser.visit(eventPath)).text).toContain('HTTP 503');
    const { text } = await browser.visit(eventPath);
    for (const part of [delivery, path, receiver.url('/of-event'), 'not &lt;b>now', '&quot;message&quot;: '])
      expect(text).toContain(part);
    await browser.submit(`${path}/delete`);
    expect((await browser.visit(eventPath)).text).toContain('Deleted endpoint');
  });
});
