import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookTestEvent } from '../../events/webhook-test.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeAlone } from '../../shared/platform/table/write-alone.ts';
import { newDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
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
    expect((await browser.visit(path)).text).toContain('Switch on');
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
    await expect
      .poll(async () => (await browser.visit(page)).text, { timeout: 30_000 })
      .toContain('sent again by hand');
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
    const made = Array.from({ length: 27 }, () =>
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
