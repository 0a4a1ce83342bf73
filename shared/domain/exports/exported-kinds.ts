import type * as z from 'zod';
import { Affiliate } from '../../contract/affiliates.ts';
import { Asset } from '../../contract/assets.ts';
import { Coupon } from '../../contract/coupons.ts';
import type { ExportedName } from '../../contract/exports.ts';
import { Group } from '../../contract/groups.ts';
import { Link } from '../../contract/links.ts';
import type { RecordKind } from '../../contract/needs.ts';
import { Payout, PayoutBatch } from '../../contract/payout-batches.ts';
import { PromotionalCode } from '../../contract/promotional-codes.ts';
import { Referral } from '../../contract/referrals.ts';
import { Sale } from '../../contract/sale.ts';
import { fromMinor } from '../../platform/money/money.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { links } from '../affiliates/link-repository.ts';
import { affiliates } from '../affiliates/repository.ts';
import { affiliateResponse } from '../affiliates/responses.ts';
import { withTotals } from '../affiliates/totals.ts';
import { assetResponse, assets } from '../assets/asset-record.ts';
import { coupons } from '../coupons/repository.ts';
import { listGroups } from '../groups/list-groups.ts';
import { groupsOf } from '../groups/repository.ts';
import { groupResponse } from '../groups/responses.ts';
import { payoutBatches } from '../payouts/repository.ts';
import { batchWithPayouts } from '../payouts/responses.ts';
import { payoutBatchResponse, type StoredPayoutBatch } from '../payouts/rules.ts';
import type { StoredProgram } from '../programs/repository.ts';
import { couponResponses } from '../promotional-codes/coupon-responses.ts';
import { linkResponses } from '../promotional-codes/link-responses.ts';
import { promotionalCodes } from '../promotional-codes/repository.ts';
import { codeResponses } from '../promotional-codes/responses.ts';
import { referrals } from '../referrals/repository.ts';
import { referralResponse } from '../referrals/rules.ts';
import { adjustments, type StoredAdjustment } from '../sales/adjustments.ts';
import { sales } from '../sales/repository.ts';
import { saleResponse } from '../sales/rules.ts';

/** What an export reads from: pages in the order of creation, no faster than it may. */
export interface Source {
  readonly program: StoredProgram;
  readonly now: Date;
  readonly pages: <Item>(read: (request: PageRequest) => Promise<Page<Item>>) => AsyncGenerator<readonly Item[]>;
}

export type Responses = AsyncGenerator<readonly object[]>;

interface ExportedKind {
  readonly name: ExportedName;
  readonly responses: (source: Source) => Responses;
}

interface LeftOut {
  readonly leftOut: string;
}

/** Parsed by the schema of the response, so that no field is in the file that the API does not return. */
async function* respond<Item, Schema extends z.ZodObject>(
  source: Source,
  store: { page: (programId: string, request: PageRequest) => Promise<Page<Item>> },
  schema: Schema,
  toResponses: (items: readonly Item[]) => Promise<readonly unknown[]> | readonly unknown[],
): Responses {
  for await (const items of source.pages((request) => store.page(source.program.id, request)))
    yield (await toResponses(items)).map((response) => schema.parse(response));
}

async function* affiliateResponses(source: Source): Responses {
  const { program } = source;
  const groups = await groupsOf(program.id);
  yield* respond(source, affiliates, Affiliate, async (items) =>
    (await withTotals(program.id, items)).map((affiliate) => affiliateResponse(affiliate, program, groups)),
  );
}

const adjustmentResponse = ({ id, createdAt, updatedAt, ...adjustment }: StoredAdjustment, currency: string) => ({
  id,
  createdAt,
  updatedAt,
  saleId: Number(adjustment.saleId),
  affiliateId: adjustment.affiliateId,
  amount: fromMinor(adjustment.amountMinor, currency),
  payoutBatchId: adjustment.payoutBatchId,
  paidAt: adjustment.paidAt,
});

async function* adjustmentResponses({ program, pages }: Source): Responses {
  for await (const items of pages((request) => adjustments.page(program.id, request)))
    yield items.map((item) => adjustmentResponse(item, program.currency));
}

/** Lines of their own, because a batch may have many thousands. */
async function* payoutResponses({ program, pages }: Source): Responses {
  const payoutsOf = (batch: StoredPayoutBatch) =>
    pages(async ({ limit, after }) => {
      const { record, next } = await batchWithPayouts(program.id, batch, { limit, after });
      const payouts = (record.payouts ?? []).map((payout) => ({ payoutBatchId: batch.id, ...Payout.parse(payout) }));
      return new Page(
        payouts.map((item) => ({ item, position: item.affiliateId })),
        next,
      );
    });
  for await (const batches of pages((request) => payoutBatches.page(program.id, request)))
    for (const batch of batches) yield* payoutsOf(batch);
}

/** Every kind of record, or why it is in no export: a new one does not compile until it is here. docs/behavior.md#exports */
export const exportedKinds: { readonly [Kind in RecordKind]: ExportedKind | LeftOut } = {
  GROUP: {
    name: 'groups',
    responses: (source) => {
      const page = (_: string, request: PageRequest) => listGroups(source.program, request);
      const toResponse = (group: Parameters<typeof groupResponse>[0]) => groupResponse(group, source.program.id);
      return respond(source, { page }, Group, (items) => items.map(toResponse));
    },
  },
  AFFILIATE: { name: 'affiliates', responses: affiliateResponses },
  LINK: {
    name: 'links',
    responses: (source) => {
      const of = { id: source.program.id, reads: { program: Promise.resolve(source.program) } };
      return respond(source, links, Link, (items) => linkResponses(of, items));
    },
  },
  REFERRAL: {
    name: 'referrals',
    responses: (source) =>
      respond(source, referrals, Referral, (items) => items.map((item) => referralResponse(item, source.program))),
  },
  COUPON: {
    name: 'coupons',
    responses: (source) =>
      respond(source, coupons, Coupon, (items) => couponResponses(source.program, items, source.now)),
  },
  PROMOTIONAL_CODE: {
    name: 'promotional-codes',
    responses: (source) =>
      respond(source, promotionalCodes, PromotionalCode, (items) =>
        codeResponses({ id: source.program.id }, items, source.now),
      ),
  },
  SALE: {
    name: 'sales',
    responses: (source) =>
      respond(source, sales, Sale, (items) => items.map((item) => saleResponse(item, source.program))),
  },
  ADJUSTMENT: { name: 'adjustments', responses: adjustmentResponses },
  PAYOUT_BATCH: {
    name: 'payout-batches',
    responses: (source) =>
      respond(source, payoutBatches, PayoutBatch, (items) => items.map((item) => payoutBatchResponse(item))),
  },
  PAYOUT: { name: 'payouts', responses: payoutResponses },
  ASSET: {
    name: 'assets',
    responses: (source) =>
      respond(source, assets, Asset, (items) => items.map((item) => assetResponse(item, source.program.id))),
  },
  LINK_CODE: { leftOut: 'links have their codes' },
  WEBHOOK: { leftOut: 'it is set up for one program, with a secret' },
  API_KEY: { leftOut: 'it is a secret' },
  MEMBER: { leftOut: 'who may open the program is no part of its data' },
  STATISTIC: { leftOut: 'it is counted from sales, referrals and clicks' },
  IMPORT: { leftOut: 'what it brought is exported' },
  EXPORT: { leftOut: 'it is one' },
  AUDIT: { leftOut: 'the audit log has a download of its own' },
  ERASURE: { leftOut: 'it tells what was erased, and of nobody' },
  TOMBSTONE: { leftOut: 'it is of a deleted record, and expires' },
};

export const isExported = (kind: ExportedKind | LeftOut): kind is ExportedKind => 'responses' in kind;
