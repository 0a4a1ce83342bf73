import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createClickId } from '../../shared/domain/tracking/click-id.ts';
import { startAffiliate } from '../../shared/web/tracking/browser.client.ts';
import { useClickSecret } from '../support/click-secret.ts';

// What `ref.js` keeps, on pages without a browser: test/tracking/script.browser.test.ts has the rest.

const program = randomUUID();
const link = randomUUID();
const now = Date.now();
const second = 1000;
const day = 24 * 60 * 60 * second;

const clickAt = (at: number, attribution: 'LAST_CLICK' | 'FIRST_CLICK' = 'LAST_CLICK') =>
  createClickId({ id: program, attribution, attributionDays: 60 }, link, new Date(at));

/** Opens a page at the address of a click, with the cookie that the page before it left; returns what is kept. */
const open = (click: string, ref: string): { click: string | undefined; ref: string | undefined } => {
  vi.stubGlobal('location', { protocol: 'https:', hostname: 'shop.example', search: `?ref=${ref}&click=${click}` });
  const affiliate = startAffiliate({ program, url: 'https://app.example/ref.js' });
  return { click: affiliate.click(), ref: affiliate.ref() };
};

beforeEach(() => {
  useClickSecret();
  let cookie = '';
  vi.stubGlobal('document', {
    get cookie() {
      return cookie;
    },
    set cookie(written: string) {
      cookie = written.split(';')[0] ?? '';
    },
    addEventListener: () => undefined,
    querySelectorAll: () => [],
  });
  return () => vi.unstubAllGlobals();
});

describe('of two clicks', () => {
  it('the last one stays where a page of the first one is loaded again', async () => {
    const [first, last] = [await clickAt(now - day), await clickAt(now)];
    expect(open(first, 'amara')).toEqual({ click: first, ref: 'amara' });
    expect(open(last, 'tom')).toEqual({ click: last, ref: 'tom' });
    expect(open(first, 'amara')).toEqual({ click: last, ref: 'tom' });
    expect(open(last, 'tom')).toEqual({ click: last, ref: 'tom' });
  });

  it('the first one stays where the program keeps it', async () => {
    const [first, last] = [await clickAt(now - day, 'FIRST_CLICK'), await clickAt(now, 'FIRST_CLICK')];
    open(first, 'amara');
    expect(open(last, 'tom')).toEqual({ click: first, ref: 'amara' });
    expect(open(await clickAt(now - 2 * day, 'FIRST_CLICK'), 'tom')).toEqual({ click: first, ref: 'amara' });
  });

  it('of one second the one whose page is loaded last stays', async () => {
    const clicks = [await clickAt(now), await clickAt(now)];
    for (const click of clicks) expect(open(click, 'amara').click).toBe(click);
  });

  it('the later one stays, whichever second they are of', async () => {
    const from = now - 600 * second;
    const clicks = await Promise.all(Array.from({ length: 300 }, (_, at) => clickAt(from + at * second)));
    expect(clicks.filter((click) => open(click, 'amara').click !== click)).toHaveLength(0);
    const last = clicks.at(-1);
    expect(clicks.filter((click) => open(click, 'amara').click !== last)).toHaveLength(0);
  });
});

it.each([2 * day, 365 * day, 365_000 * day])(
  'a forged click of the future, %i ms from now, keeps no other out',
  async (ahead) => {
    open(await clickAt(now + ahead), 'forged');
    const click = await clickAt(now);
    expect(open(click, 'amara')).toEqual({ click, ref: 'amara' });
  },
);
