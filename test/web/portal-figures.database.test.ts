import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLink } from '../../shared/domain/affiliates/create-link.ts';
import { enterLink } from '../../shared/domain/affiliates/link-entry.ts';
import { createLinkWrites, links } from '../../shared/domain/affiliates/link-repository.ts';
import type { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import { incrementTotalsWrite } from '../../shared/domain/affiliates/totals.ts';
import { updateAffiliate } from '../../shared/domain/affiliates/update-affiliate.ts';
import type { StoredProgram } from '../../shared/domain/programs/repository.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { dayText } from '../../shared/web/components/time.tsx';
import { storeAffiliate, storeSale } from '../support/domain.ts';
import { stubPageEnvironment } from '../support/pages.ts';
import { portalBrowser, startedPortalCookie } from '../support/portal-pages.ts';
import { makeStoredLink } from '../support/stored-records.ts';
import { storeProgram } from '../support/webhooks.ts';

let program: StoredProgram;
let affiliate: StoredAffiliate;
let browser: ReturnType<typeof portalBrowser>;
beforeEach(async () => {
  stubPageEnvironment();
  program = await storeProgram();
  affiliate = await storeAffiliate(program);
  browser = portalBrowser(program, await startedPortalCookie(program.id, affiliate.id));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const day = 24 * 60 * 60 * 1000;
const afterNow = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
const heldUntil = afterNow(20 * day);

/** A sale with a commission of $10, which the totals count. */
const sell = async (overrides: Parameters<typeof storeSale>[2] = {}, ofWhom = affiliate) => {
  await storeSale(program, ofWhom.id, { createdAt: afterNow(-day), commissionEarnedMinor: 1000, ...overrides });
  await writeTogether([incrementTotalsWrite(program.id, ofWhom.id, { totalCommissionEarnedMinor: 1000n })]);
};

/** The figures of the overview, as `Paid $0.00`. */
const figures = async (): Promise<string[]> => {
  const { text } = await browser.visit('/overview');
  const [list = ''] = /<dl class="figures">.*?<\/dl>/s.exec(text) ?? [];
  return list
    .split('</div>')
    .map((one) =>
      one
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean);
};

describe('the overview', () => {
  it('begins with the first link of who takes part, to copy', async () => {
    const ownLink = async () => /<code id="own-link"[^>]*>([^<]+)</.exec((await browser.visit('/overview')).text)?.[1];
    expect(await ownLink()).toBeUndefined();
    const [affiliateId, now] = [affiliate.id, new Date()];
    await createLink(program.id, { link: 'first-of-two', affiliateId }, now);
    await createLink(program.id, { link: 'second-of-two', affiliateId }, new Date(now.getTime() + 1));
    expect(await ownLink()).toMatch(/\/first-of-two$/);
    await updateAffiliate(program.id, { affiliateId, status: 'inactive' }, undefined, new Date());
    expect(await ownLink()).toBeUndefined();
  });

  it('says what is on hold and in review, and what is owed next', async () => {
    expect(await figures()).toEqual(['Total earned $0.00', 'Paid $0.00', 'Owed next $0.00 For the next payouts']);
    await sell({ payableAt: heldUntil });
    await sell({ reviewStatus: 'HELD', reviewReasons: ['BURST'] });
    await sell();
    await sell();
    await sell({ payableAt: heldUntil }, await storeAffiliate(program));
    expect(await figures()).toEqual([
      'Total earned $40.00',
      'Paid $0.00',
      `On hold $10.00 Until ${dayText(heldUntil)} at the latest`,
      'In review $10.00 Until the program decides',
      'Owed next $20.00 For the next payouts',
    ]);
  });

  it('says where there may be more on hold than among the 20 newest sales, unless older ones cannot be', async () => {
    await sell({ createdAt: afterNow(-100 * day) });
    for (let count = 0; count < 20; count++) await sell({ payableAt: heldUntil });
    expect((await figures()).slice(2)).toEqual([
      `On hold $200.00 At least, until ${dayText(heldUntil)} at the latest`,
      'Owed next $10.00 At most: more may be on hold or in review',
    ]);
    const other = await storeAffiliate(program);
    browser = portalBrowser(program, await startedPortalCookie(program.id, other.id));
    for (let count = 0; count < 20; count++) await sell({ createdAt: afterNow(-(95 + count) * day) }, other);
    await sell({ payableAt: heldUntil }, other);
    expect((await figures()).slice(2)).toEqual([
      `On hold $10.00 Until ${dayText(heldUntil)} at the latest`,
      'Owed next $200.00 At most: more may be in review',
    ]);
  });

  it('is not certain of what is owed where none of the 20 newest sales waits, but an older one may', async () => {
    const inReview: Parameters<typeof sell>[0] = { reviewStatus: 'HELD', reviewReasons: ['BURST'] };
    await sell({ createdAt: afterNow(-30 * day), payableAt: heldUntil });
    await sell({ createdAt: afterNow(-30 * day), ...inReview });
    for (let count = 0; count < 20; count++) await sell();
    expect((await figures()).slice(2)).toEqual(['Owed next $220.00 At most: more may be on hold or in review']);
    await sell(inReview);
    expect((await figures()).slice(2)).toEqual([
      'In review $10.00 At least, until the program decides',
      'Owed next $220.00 At most: more may be on hold or in review',
    ]);
  });
});

describe('the links', () => {
  const addLink = async (at: number, counts = {}) => {
    const createdAt = afterNow(at);
    const id = newRecordId(new Date(createdAt));
    const link = makeStoredLink({
      ...{ id, createdAt, updatedAt: createdAt, link: `link-${randomUUID()}`, affiliateId: affiliate.id },
      ...counts,
    });
    await writeTogether(createLinkWrites(program.id, link, affiliate));
    await enterLink(program.id, link, new Date());
    return link;
  };
  const rowsOf = (text: string): string[] =>
    text
      .split('<tr>')
      .slice(2)
      .map((row) =>
        row
          .replaceAll(/<noscript>.*?<\/noscript>|<[^>]*>/gs, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      );

  it('have their clicks and sales', async () => {
    const { link } = await addLink(-1000, { clicks: 120, sales: 7 });
    const [row] = rowsOf((await browser.visit('/links')).text);
    expect(row).toMatch(new RegExp(`/${link} 120 7 SVG`));
  });

  it('are shown 20 at a time, newest first, each once', async () => {
    const made: string[] = [];
    for (let count = 0; count < 23; count++) made.push((await addLink(count * 1000)).link);
    const first = (await browser.visit('/links')).text;
    const next = /href="[^"]*\/links(\?cursor=[^"]+)"/.exec(first)?.[1] ?? '';
    const second = (await browser.visit(`/links${next}`)).text;
    const shown = [first, second].flatMap((text) => rowsOf(text).map((row) => /\/(link-[0-9a-f-]+) /.exec(row)?.[1]));
    expect(rowsOf(first)).toHaveLength(20);
    expect(shown).toEqual(made.toReversed());
    expect(second).not.toContain('rel="next"');
  });

  it('whose record is gone for the moment have no figures', async () => {
    const link = await addLink(-1000, { clicks: 5 });
    await writeTogether(links.deleteWrites(program.id, link));
    expect(rowsOf((await browser.visit('/links')).text)[0]).toMatch(new RegExp(`/${link.link} 0 0 SVG`));
  });
});
