import * as z from 'zod';
import type { RecordKind, TrafficKind } from '../../shared/contract/needs.ts';
import { AccessToken } from '../../shared/domain/access/token.ts';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { AffiliateTotals } from '../../shared/domain/affiliates/totals.ts';
import { assets } from '../../shared/domain/assets/asset-record.ts';
import { StoredCustomer } from '../../shared/domain/attribution/customers.ts';
import { auditEntries } from '../../shared/domain/audit/audit-log.ts';
import { coupons } from '../../shared/domain/coupons/repository.ts';
import { exports } from '../../shared/domain/exports/export-record.ts';
import { groups } from '../../shared/domain/groups/repository.ts';
import { imports } from '../../shared/domain/imports/import-record.ts';
import { StoredPayout } from '../../shared/domain/payouts/payouts.ts';
import { payoutBatches } from '../../shared/domain/payouts/repository.ts';
import { StoredPortalSession } from '../../shared/domain/portal/portal-sessions.ts';
import { erasures } from '../../shared/domain/privacy/erasure-record.ts';
import { Account } from '../../shared/domain/programs/accounts.ts';
import { HandleItem } from '../../shared/domain/programs/handles.ts';
import { members } from '../../shared/domain/programs/members.ts';
import { apiKeys, programs } from '../../shared/domain/programs/repository.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { referrals } from '../../shared/domain/referrals/repository.ts';
import { adjustments } from '../../shared/domain/sales/adjustments.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { StoredSums } from '../../shared/domain/statistics/day-sums.ts';
import { StoredDayOfSales } from '../../shared/domain/statistics/sales-by-day.ts';
import { StoredVisits } from '../../shared/domain/tracking/visits.ts';
import { StoredUses } from '../../shared/domain/uses/counters.ts';
import { KeptResponse } from '../../shared/http/idempotency.ts';
import { StoredSuppression } from '../../shared/platform/mail/addresses.ts';
import { StoredMail } from '../../shared/platform/mail/claim.ts';
import { deliveries, events } from '../../shared/webhooks/delivery/repository.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { Segment } from '../../shared/webhooks/feed/log.ts';

/** Whose items are read without a schema, and why that is enough. */
interface Unparsed {
  unparsed: string;
}

/** How each kind of item is read. A new kind does not compile until it is here. */
export const storedSchemas = {
  PROGRAM: programs.schema,
  GROUP: groups.schema,
  AFFILIATE: affiliates.schema,
  LINK: links.schema,
  COUPON: coupons.schema,
  PROMOTIONAL_CODE: promotionalCodes.schema,
  REFERRAL: referrals.schema,
  SALE: sales.schema,
  ADJUSTMENT: adjustments.schema,
  PAYOUT_BATCH: payoutBatches.schema,
  PAYOUT: StoredPayout,
  WEBHOOK: webhooks.schema,
  API_KEY: apiKeys.schema,
  MEMBER: members.schema,
  EVENT: events.schema,
  DELIVERY: deliveries.schema,
  ERASURE: erasures.schema,
  FEED: Segment,
  AUDIT: auditEntries.schema,
  IDEMPOTENCY: KeptResponse,
  TOMBSTONE: { unparsed: 'it is the last state of a record of another kind, and is read with the schema of that kind' },
  LINK_CODE: { unparsed: 'only its keys are read' },
  COUNTED: { unparsed: 'only whether it is there is read' },
  UNCOUNTED: { unparsed: 'only its keys are read' },
  VISIT: StoredVisits,
  PORTAL_SESSION: StoredPortalSession,
  MAIL: StoredMail,
  STATISTIC: StoredSums,
  ASSET: assets.schema,
  IMPORT: imports.schema,
  EXPORT: exports.schema,
  IN_FLIGHT: { unparsed: 'it is a counter that lives for seconds' },
} as const satisfies Record<RecordKind | TrafficKind | 'PROGRAM', z.ZodType | Unparsed>;

/** What is kept under another kind, or under none. */
export const furtherSchemas = {
  ACCOUNT: Account,
  HANDLE: HandleItem,
  MAIL_ADDRESS: StoredSuppression,
  // Read by hand where a link is followed (`findTarget`).
  'LINK#SLUG': z.object({
    id: z.string(),
    affiliateId: z.string().optional(),
    link: z.string().optional(),
    destinationUrl: z.string().nullish(),
    affiliateStatus: z.string().optional(),
  }),
  TOKEN: AccessToken,
  'AFFILIATE#TOTALS': AffiliateTotals,
  'PROMOTIONAL_CODE#USES': StoredUses,
  'SALE#DAY': StoredDayOfSales,
  'SALE#CUSTOMER': StoredCustomer,
} as const satisfies Record<string, z.ZodType>;

/** The fields that a schema reads, with or without a transformation before or after it. */
export const fieldsOf = (schema: z.ZodType): readonly string[] => {
  if (schema instanceof z.ZodPipe) {
    const [first, second] = [schema.in, schema.out].map((part) => z.instanceof(z.ZodType).parse(part));
    return [first, second].flatMap((part) => (part instanceof z.ZodTransform || !part ? [] : fieldsOf(part)));
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
};
