import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { StoredAffiliate } from '../../shared/domain/affiliates/rules.ts';
import type { StoredProgram } from '../../shared/domain/programs/repository.ts';
import { refundSale } from '../../shared/domain/sales/refund-sale.ts';
import { at, now, storeAffiliate, storeSale } from '../support/domain.ts';
import { stubPageEnvironment } from '../support/pages.ts';
import { payBatch, prepareBatch } from '../support/payout-batches.ts';
import { portalBrowser, startedPortalCookie } from '../support/portal-pages.ts';
import { testQueues } from '../support/queues.ts';
import { storeProgram } from '../support/webhooks.ts';

// The statement of a payout adds up.

testQueues();

let program: StoredProgram;
let affiliate: StoredAffiliate;
beforeEach(async () => {
  stubPageEnvironment();
  program = await storeProgram();
  affiliate = await storeAffiliate(program);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** With a commission of $10. */
const sell = () => storeSale(program, affiliate.id, { createdAt: at(-50_000), commissionEarnedMinor: 1000 });

const refund = (sale: { id: string }) => refundSale(program, { saleId: Number(sale.id) }, undefined, now);

const paid = async () => {
  const batch = await prepareBatch(program);
  await payBatch(program, batch);
  return batch;
};

const statementOf = async ({ id }: { id: string }, more = ''): Promise<{ text: string; html: string }> => {
  const browser = portalBrowser(program, await startedPortalCookie(program.id, affiliate.id));
  const { status, text: html } = await browser.visit(`/payouts/${id}${more}`);
  expect(status).toBe(200);
  return { html, text: html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') };
};

it('has a line for what refunds of an earlier payout took, also after a sale of its own is refunded', async () => {
  const first = await sell();
  const earlier = await paid();
  await refund(first);
  const [second] = [await sell(), await sell()];
  const later = await paid();
  const expected = /Amount \$10\.00 Sales 2 Adjustments for earlier refunds [−-]\$10\.00 Paid /;
  expect((await statementOf(later)).text).toMatch(expected);
  await refund(second);
  expect((await statementOf(later)).text).toMatch(expected);
  const { text } = await statementOf(earlier);
  expect(text).toMatch(/Amount \$10\.00 Sales 1 Paid /);
  expect(text).toContain('print the page');
  expect(text).toContain('Payout details now');
});

it('says that it has adjustments where its sales are on several pages, and to print each of them', async () => {
  const first = await sell();
  await paid();
  await refund(first);
  for (let count = 0; count < 22; count++) await sell();
  const later = await paid();
  const shown = await statementOf(later);
  const next = /href="[^"]*(\?[^"]*cursor=[^"]+)"/.exec(shown.html)?.[1]?.replaceAll('&amp;', '&');
  expect(next).toBeDefined();
  for (const { text } of [shown, await statementOf(later, next)]) {
    expect(text).toContain('Amount $210.00 Sales 22 Adjustments for earlier refunds 1 They are in the amount');
    expect(text).toContain('print each page');
  }
});
