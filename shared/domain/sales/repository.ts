import { ApiError } from '../../contract/errors.ts';
import { ConcurrentModificationError, type UniqueValue } from '../../platform/table/keys.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { searchEntries } from '../../platform/table/search.ts';
import { isPayable, StoredSale, weeksOfHold } from './rules.ts';
import { saleIdEdges } from './sale-id.ts';

/** Thrown for a taken external id: the same sale sent again, or another one. */
export class SaleExternalIdTaken extends ApiError {
  constructor(field: 'externalId' | 'externalInvoiceId', value: string) {
    super('conflict', `Another sale with the ${field} ${value} is in the program`, {
      details: [{ path: field, message: `${field} is already in use` }],
    });
  }
}

export const salesOfAffiliate = (affiliateId: string) =>
  ({ index: 'GSI1', parts: ['AFFILIATE', affiliateId] }) as const;
export const salesOfReferral = (referralId: string) => ({ index: 'GSI2', parts: ['REFERRAL', referralId] }) as const;
export const salesOfCode = (codeId: string) => ({ index: 'GSI3', parts: ['CODE', codeId] }) as const;
export const salesInBatch = (batchId: string) => ({ index: 'GSI4', parts: ['BATCH', batchId] }) as const;
export const salesWithStatus = (status: string) => ({ index: 'GSI5', parts: ['STATUS', status] }) as const;
/** A sale leaves this index when it enters a payout batch. By weeks of hold, so that each entry is in the order of `payableAt`, to a week. */
export const payableSales = (weeksOfHold: number) =>
  ({ index: 'GSI6', parts: weeksOfHold === 0 ? ['PAYABLE'] : ['PAYABLE', 'WEEKS', String(weeksOfHold)] }) as const;
export const salesOfLink = (linkId: string) => ({ index: 'GSI7', parts: ['LINK', linkId] }) as const;

/** How values of `REVIEW` begin: an entry for each sale that was held, by which both the list and the count find it. */
export const reviewPrefix = (status: NonNullable<StoredSale['reviewStatus']>): string => `${status}#`;

const reviewEntry = ({ id, reviewStatus }: StoredSale): UniqueValue | undefined =>
  reviewStatus === null
    ? undefined
    : {
        value: `${reviewPrefix(reviewStatus)}${id}`,
        refusal: () => new ConcurrentModificationError(`The review entry of sale ${id} already exists`),
      };

export const sales = recordStore({
  table: 'records',
  kind: 'SALE',
  keepsActor: true,
  schema: StoredSale,
  idEdges: saleIdEdges,
  indexes: (sale) => [
    salesWithStatus(sale.status),
    ...(sale.affiliateId === null ? [] : [salesOfAffiliate(sale.affiliateId)]),
    ...(sale.referralId === null ? [] : [salesOfReferral(sale.referralId)]),
    ...(sale.promotionalCodeId === null ? [] : [salesOfCode(sale.promotionalCodeId)]),
    ...(sale.payoutBatchId === null ? [] : [salesInBatch(sale.payoutBatchId)]),
    ...(sale.affiliateLinkId === null ? [] : [salesOfLink(sale.affiliateLinkId)]),
    ...(isPayable(sale) ? [payableSales(weeksOfHold(sale))] : []),
  ],
  uniques: {
    WORD: searchEntries,
    REVIEW: reviewEntry,
    IMPORT_KEY: ({ importKey }) =>
      importKey === null
        ? undefined
        : {
            value: importKey,
            refusal: () => new ConcurrentModificationError(`A sale with the import key ${importKey} exists already`),
          },
    EXTERNAL_ID: ({ externalId: id }) =>
      id === null ? undefined : { value: id, refusal: () => new SaleExternalIdTaken('externalId', id) },
    EXTERNAL_INVOICE_ID: ({ externalInvoiceId: id }) =>
      id === null ? undefined : { value: id, refusal: () => new SaleExternalIdTaken('externalInvoiceId', id) },
  },
});
