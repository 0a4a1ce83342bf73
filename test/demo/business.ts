import type { Client } from '../../shared/client/surface.ts';
import { customersOf } from './customers.ts';
import { maxWaitSeconds, note, type Telling } from './journal.ts';
import { deliveryName } from './receiver.ts';
import { DemoProblem } from './target.ts';
import type { Clicks } from './visitors.ts';

type AffiliateRecord = Awaited<ReturnType<Client['affiliates']['get']>>;
type CodeRecord = Awaited<ReturnType<Client['promotionalCodes']['get']>>;
type SaleRecord = Awaited<ReturnType<Client['sales']['get']>>;
type SaleRequest = Parameters<Client['sales']['create']>[0];

/** Whole amounts, which every currency has. */
const prices = [49, 29, 120, 79, 15, 249, 99, 65, 35, 180];
const referralCount = 14;
const salesBeforePayout = 36;
const salesAfterPayout = 9;
/** Few affiliates sell most. */
const sellers = 18;

const at = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index % items.length];
  if (item === undefined) throw new DemoProblem('The API made too few records for the rest of the story.');
  return item;
};

interface Cast {
  /** Active affiliates, and the codes that can be redeemed. */
  affiliates: readonly AffiliateRecord[];
  codes: readonly CodeRecord[];
  /** The clicks that came of following their links. */
  clicks: Clicks;
  /** What tells this run's emails and names from those of others; empty in the first. */
  suffix: string;
}

const linkOf = ({ affiliateLinks: [link] }: AffiliateRecord): string => link?.link ?? '';

const createReferrals = async (client: Client, telling: Telling, { affiliates, suffix }: Cast): Promise<void> => {
  for (const [index, customer] of customersOf(suffix).slice(0, referralCount).entries()) {
    const plan = index % 3 === 0 ? 'Business' : 'Starter';
    const affiliateId = linkOf(at(affiliates, index * 5));
    await note(
      telling,
      'referral',
      () => client.referrals.create({ ...customer, affiliateId, plan }),
      ({ id }) => [{ eventType: 'referral.created', recordId: id }],
    );
  }
};

/** What a shop sends of a customer who came by a link: the click, or where nobody followed it the link itself. */
const byLink = ({ clicks }: Cast, link: string) => {
  const clickId = clicks.get(link);
  return clickId === undefined ? { referralId: link } : { clickId };
};

/** In turn: with a code, through a link, and by a customer who was referred. */
const saleRequest = (cast: Cast, index: number): SaleRequest => {
  const { affiliates, codes, suffix } = cast;
  const customers = customersOf(suffix);
  const totalEarned = at(prices, index * 3);
  if (index % 3 === 0) return { totalEarned, ...at(customers, index), promoCode: at(codes, index / 3).code };
  if (index % 3 === 1)
    return { totalEarned, ...at(customers, index), ...byLink(cast, linkOf(at(affiliates, (index * 7) % sellers))) };
  return { totalEarned, email: at(customers, index % referralCount).email };
};

const createSales = async (client: Client, telling: Telling, cast: Cast, from: number, count: number) => {
  const sales: SaleRecord[] = [];
  for (let index = from; index < from + count; index++) {
    const request = saleRequest(cast, index);
    const sale = await note(
      telling,
      'sale',
      () => client.sales.create(request),
      ({ id, promotionalCodeId }) => [
        { eventType: 'sale.created', recordId: String(id) },
        ...(promotionalCodeId ? [{ eventType: 'promotional_code.redeemed', recordId: promotionalCodeId }] : []),
      ],
    );
    if (sale) sales.push(sale);
  }
  return sales;
};

const refundSome = async (client: Client, telling: Telling, sales: readonly SaleRecord[]): Promise<void> => {
  for (const [index, amount] of [
    [4, undefined],
    [11, 10],
    [20, 12],
  ] as const) {
    const { id } = at(sales, index);
    await note(
      telling,
      'refund',
      () => client.sales.refund(id, amount === undefined ? {} : { amount }),
      () => [{ eventType: 'sale.refunded', recordId: String(id) }],
    );
  }
};

const payEverybody = async (client: Client, telling: Telling, suffix: string): Promise<void> => {
  const name = suffix ? `Payout ${suffix.slice(1)}` : 'First payout';
  const batch = await note(
    telling,
    'payout batch',
    () => client.payoutBatches.create({ name }),
    ({ id }) => [
      { eventType: 'payout_batch.created', recordId: id },
      { eventType: 'payout_batch.ready', recordId: id },
    ],
  );
  if (!batch) return;
  const ready = new Set([deliveryName({ type: 'payout_batch.ready', recordId: batch.id })]);
  if (!(await telling.receiver.waitFor(ready, maxWaitSeconds)))
    throw new DemoProblem(`The payout batch is not ready after ${maxWaitSeconds} s.`);
  await note(
    telling,
    'payment',
    () => client.payoutBatches.update(batch.id, { status: 'PAID' }),
    ({ id }) => [{ eventType: 'payout_batch.paid', recordId: id }],
  );
};

/** A typical course of business: referrals, sales, refunds, a payout, and more sales, which are still owed. */
export const runBusiness = async (client: Client, telling: Telling, cast: Cast): Promise<void> => {
  await createReferrals(client, telling, cast);
  const sales = await createSales(client, telling, cast, 0, salesBeforePayout);
  await refundSome(client, telling, sales);
  await payEverybody(client, telling, cast.suffix);
  await createSales(client, telling, cast, salesBeforePayout, salesAfterPayout);
};
