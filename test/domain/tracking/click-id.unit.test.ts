import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createClickId } from '../../../shared/domain/tracking/click-id.ts';
import { referringHost } from '../../../shared/domain/tracking/clicks.ts';
import { readClickId } from '../../../shared/domain/tracking/read-click-id.ts';
import { clickSecret, useClickSecret } from '../../support/click-secret.ts';

beforeEach(useClickSecret);

const program = { id: randomUUID(), attribution: 'LAST_CLICK', attributionDays: 60 } as const;
const linkId = randomUUID();
const now = new Date('2026-03-01T12:00:00.000Z');
const clicked = { programId: program.id, linkId, clickedAt: now.toISOString() };
/** What Stripe takes as client_reference_id. */
const maxCharacters = 200;

describe('a click id', () => {
  it.each([null, 'blog.example', '[2001:db8::1]', `${'x'.repeat(52)}.example`])(
    'says whose link was followed when, and that the visitor came from %s',
    async (host) => {
      const clickId = await createClickId(program, linkId, now, host);
      expect(await readClickId(clickId)).toEqual({ ...clicked, referringHost: host });
      expect(clickId).toMatch(/^[\w-]{108,200}$/);
      expect(clickId.length).toBeLessThanOrEqual(maxCharacters);
    },
  );

  it('that a version without hosts has signed is valid', async () => {
    const bytes = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');
    const time = Buffer.alloc(6);
    time.writeUIntBE(now.getTime() / 1000, 0, 6);
    const signed = Buffer.concat([
      Buffer.of(1, 0, 60),
      bytes(clickSecret.VersionId),
      bytes(program.id),
      bytes(linkId),
      time,
      randomBytes(8),
    ]);
    const signature = createHmac('sha256', clickSecret.SecretString).update('click').update(signed).digest();
    const clickId = Buffer.concat([signed, signature.subarray(0, 16)]).toString('base64url');
    expect(clickId).toHaveLength(108);
    expect(await readClickId(clickId)).toEqual({ ...clicked, referringHost: null });
  });

  it('is invalid where any of its characters is another one, or some are missing or too many', async () => {
    for (const host of [null, 'blog.example']) {
      const clickId = await createClickId(program, linkId, now, host);
      for (let at = 0; at < clickId.length; at++) {
        const altered = `${clickId.slice(0, at)}${clickId[at] === 'A' ? 'B' : 'A'}${clickId.slice(at + 1)}`;
        expect([at, await readClickId(altered)]).toEqual([at, undefined]);
      }
      for (const other of [clickId.slice(0, -4), clickId.slice(4), `${clickId}AAAA`, `AAAA${clickId}`, `${clickId}=`])
        expect(await readClickId(other)).toBeUndefined();
    }
  });

  it('is not read beyond the longest host', async () => {
    const clickId = await createClickId(program, linkId, now, 'x'.repeat(70));
    expect(await readClickId(clickId)).toBeUndefined();
  });
});

it.each([
  ['https://www.blog.example/post?secret=1', 'blog.example'],
  ['http://news.example:8080/', 'news.example'],
  [`https://${'x'.repeat(52)}.example/`, `${'x'.repeat(52)}.example`],
  [`https://${'x'.repeat(53)}.example/`, 'other'],
  ['https://shop.example/cart', null],
  ['https://www.shop.example/cart', null],
  ['https://store.example/', null],
  ['https://www.store.example/', null],
  ['https://blog.shop.example/', 'blog.shop.example'],
  ['android-app://com.example/', null],
  ['no address', null],
  [undefined, null],
])('a visitor from %s comes from %s', (referrer, host) => {
  expect(referringHost(referrer, ['shop.example', 'www.store.example'])).toBe(host);
});
