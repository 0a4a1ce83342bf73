import { ApiError } from '../../contract/errors.ts';
import type { QueryOf } from '../../contract/operation.ts';
import type { listSales as operation } from '../../contract/sales.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { pageByValue, searchRecords } from '../../platform/table/search.ts';
import { affiliateIdOfFilter } from '../affiliates/repository.ts';
import { pageOfUnpaidSales } from './payable-sales.ts';
import {
  reviewPrefix,
  sales,
  salesInBatch,
  salesOfAffiliate,
  salesOfCode,
  salesOfReferral,
  salesWithStatus,
} from './repository.ts';
import { isPayable, type StoredSale } from './rules.ts';
import { storedSaleId } from './sale-id.ts';

export const findSale = async (
  programId: string,
  { name, value }: { name: 'id' | 'externalId' | 'externalInvoiceId'; value: string },
): Promise<StoredSale> => {
  const uniqueNames = { externalId: 'EXTERNAL_ID', externalInvoiceId: 'EXTERNAL_INVOICE_ID' } as const;
  const sale =
    name === 'id'
      ? await sales.get(programId, storedSaleId(Number(value)))
      : await sales.find(programId, uniqueNames[name], value);
  if (!sale) throw new ApiError('not_found', 'Sale not found');
  return sale;
};

/** By its own id, then by its external ids. */
export const salesByReference = async (programId: string, reference: string): Promise<StoredSale[]> => {
  const id = /^\d{1,16}$/.test(reference) ? Number(reference) : Number.NaN;
  const found = await Promise.all([
    Number.isSafeInteger(id) ? sales.get(programId, storedSaleId(id)) : undefined,
    sales.find(programId, 'EXTERNAL_ID', reference),
    sales.find(programId, 'EXTERNAL_INVOICE_ID', reference),
  ]);
  return [...new Map(found.flatMap((sale) => (sale ? [[sale.id, sale] as const] : []))).values()];
};

type SaleFilters = Pick<
  QueryOf<typeof operation>,
  | 'affiliateId'
  | 'affiliateEmail'
  | 'referralId'
  | 'promotionalCodeId'
  | 'payoutBatchId'
  | 'status'
  | 'reviewStatus'
  | 'search'
>;

/** To be paid, in a batch that is not paid yet, or paid out. */
export const payoutStates = {
  unpaid: isPayable,
  batched: ({ payoutBatchId, paidAt }: StoredSale) => payoutBatchId !== null && paidAt === null,
  paid: ({ paidAt }: StoredSale) => paidAt !== null,
} as const;

/** Newest first, from entries that are written with the sales: a decision shows at once. One read. */
export const salesInReview = (
  programId: string,
  status: NonNullable<StoredSale['reviewStatus']>,
  request: PageRequest,
  keep: (sale: StoredSale) => boolean = ({ reviewStatus }) => reviewStatus === status,
): Promise<Page<StoredSale>> => {
  const isDescending = !request.isOldestFirst;
  return pageByValue(sales, programId, { name: 'REVIEW', prefix: reviewPrefix(status), keep, isDescending }, request);
};

/** The search, else the narrowest filter, is the index; the others are applied while reading. */
export const listSales = async (
  programId: string,
  query: SaleFilters & { payout?: keyof typeof payoutStates | undefined },
  request: PageRequest,
): Promise<Page<StoredSale>> => {
  const { referralId, promotionalCodeId, payoutBatchId, status, reviewStatus, search, payout } = query;
  const affiliateId = await affiliateIdOfFilter(programId, query);
  if (affiliateId === null) return new Page([], undefined);
  const owner =
    (referralId && salesOfReferral(referralId)) ||
    (promotionalCodeId && salesOfCode(promotionalCodeId)) ||
    (payoutBatchId && salesInBatch(payoutBatchId)) ||
    (affiliateId && salesOfAffiliate(affiliateId));
  const keep = (sale: StoredSale) =>
    (!affiliateId || sale.affiliateId === affiliateId) &&
    (!referralId || sale.referralId === referralId) &&
    (!promotionalCodeId || sale.promotionalCodeId === promotionalCodeId) &&
    (!payoutBatchId || sale.payoutBatchId === payoutBatchId) &&
    (!status || sale.status === status) &&
    (!reviewStatus || sale.reviewStatus === reviewStatus) &&
    (!payout || payoutStates[payout](sale));
  if (search)
    return searchRecords(
      sales,
      programId,
      { text: search, searched: (sale) => sale, keep, isDescending: true },
      request,
    );
  if (payout === 'unpaid' && !owner) return pageOfUnpaidSales(programId, request, keep);
  if (reviewStatus && !owner) return salesInReview(programId, reviewStatus, request, keep);
  return sales.page(programId, request, owner || (status && salesWithStatus(status)) || undefined, keep);
};
