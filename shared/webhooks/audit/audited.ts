import type * as z from 'zod';
import type { EventProgram } from '../../../events/origin.ts';
import { Affiliate } from '../../contract/affiliates.ts';
import type { AuditRecordType } from '../../contract/audit-log.ts';
import { BareCoupon } from '../../contract/coupons.ts';
import { Group } from '../../contract/groups.ts';
import { Link } from '../../contract/links.ts';
import { PayoutBatch } from '../../contract/payout-batches.ts';
import { BarePromotionalCode } from '../../contract/promotional-code-record.ts';
import { Referral } from '../../contract/referrals.ts';
import { Sale } from '../../contract/sale.ts';
import { Webhook } from '../../contract/webhooks.ts';
import { StoredLink } from '../../domain/affiliates/link-rules.ts';
import { linksOf } from '../../domain/affiliates/responses.ts';
import { fullName, StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { StoredAsset } from '../../domain/assets/asset-record.ts';
import type { Fields } from '../../domain/audit/changes.ts';
import { bareCouponResponse, StoredCoupon } from '../../domain/coupons/rules.ts';
import { StoredExport } from '../../domain/exports/export-record.ts';
import { groupResponse } from '../../domain/groups/responses.ts';
import { applied, defaultGroupId, StoredGroup, unstoredDefault } from '../../domain/groups/rules.ts';
import { payoutBatchResponse, StoredPayoutBatch } from '../../domain/payouts/rules.ts';
import { mailSettingsOf } from '../../domain/programs/mail-settings.ts';
import { StoredMember } from '../../domain/programs/members.ts';
import { StoredApiKey, StoredProgram } from '../../domain/programs/repository.ts';
import { reviewRulesOf } from '../../domain/programs/review-rules.ts';
import { bareCodeResponse, StoredPromotionalCode } from '../../domain/promotional-codes/rules.ts';
import { referralResponse, StoredReferral } from '../../domain/referrals/rules.ts';
import { StoredSale, saleResponse } from '../../domain/sales/rules.ts';
import type { StoredRecord } from '../../platform/table/keys.ts';
import type { Kind } from '../../platform/table/partition.ts';
import { isOwn } from '../endpoints/repository.ts';
import { StoredWebhook, secretSetAt } from '../endpoints/rules.ts';

interface Definition<Stored extends StoredRecord> {
  stored: z.ZodType<Stored>;
  recordType: AuditRecordType | ((stored: Stored) => AuditRecordType);
  /** As the API names the record; the key of its item unless set. */
  recordId?: (stored: Stored) => string;
  /** What the log tells of a state. Made of the item alone: no read, and no secret. */
  fields: (stored: Stored, program: EventProgram) => Fields;
  /** The state before a record was first stored, if it was there without that. */
  unstored?: (program: EventProgram, stored: Stored) => Stored | undefined;
  /** Fields that are written without a new version, which counters never are. */
  withoutVersion?: readonly string[];
}

export interface AuditedState {
  record: StoredRecord;
  recordType: AuditRecordType;
  recordId: string;
  fields: Fields;
}

const audited = <Stored extends StoredRecord>(definition: Definition<Stored>) => {
  const { stored, recordType, recordId = ({ id }: Stored) => id, fields, unstored, withoutVersion = [] } = definition;
  const stateOf = (record: Stored, program: EventProgram): AuditedState => ({
    record,
    recordType: typeof recordType === 'string' ? recordType : recordType(record),
    recordId: recordId(record),
    fields: fields(record, program),
  });
  return {
    withoutVersion,
    stateOf: (image: object, program: EventProgram) => stateOf(stored.parse(image), program),
    unstoredOf: (image: object, program: EventProgram) => {
      const record = unstored?.(program, stored.parse(image));
      return record && stateOf(record, program);
    },
  };
};

type Own = 'id' | 'createdAt' | 'updatedAt' | 'programId' | 'affiliateProgramId';
const own: readonly string[] = ['id', 'createdAt', 'updatedAt', 'programId', 'affiliateProgramId'] satisfies Own[];

/** The fields of a REST record, without those of `leftOut`: a new field does not compile until the log tells of it, or not. */
const shown = <Shape extends z.ZodRawShape, const LeftOut extends keyof Shape & string = never>(
  schema: z.ZodObject<Shape>,
  record: { readonly [Name in Exclude<keyof Shape & string, LeftOut | Own>]: unknown },
  leftOut: readonly LeftOut[] = [],
): Fields => {
  const without = new Set<string>([...own, ...leftOut]);
  const values = new Map<string, unknown>(Object.entries(record));
  const names = Object.keys(schema.shape).filter((name) => !without.has(name));
  return Object.fromEntries(names.map((name) => [name, values.get(name)]));
};

/** Field by field: a new one might be a secret, and does not compile until it is here. */
const settingsOf = (program: StoredProgram) =>
  ({
    name: program.name,
    currency: program.currency,
    commissionRate: program.commissionRate,
    baseUrls: program.baseUrls,
    allowSelfReferral: program.allowSelfReferral,
    reviewRules: reviewRulesOf(program),
    accentColor: program.accentColor,
    timeZone: program.timeZone,
    handle: program.handle,
    attribution: program.attribution,
    attributionDays: program.attributionDays,
    showsCodes: program.showsCodes,
    mails: mailSettingsOf(program),
    portalIsOn: program.portalIsOn,
    logoUrl: program.logoUrl,
    embeddingOrigins: program.embeddingOrigins,
    applicationForm: program.applicationForm,
    ownerEmail: program.ownerEmail,
    plan: program.plan,
  }) satisfies Record<Exclude<keyof StoredProgram, keyof StoredRecord>, unknown>;

const totalsOfAffiliate = [
  'numberOfReferredUsers',
  'numberOfClicks',
  'totalRevenue',
  'totalCommissionEarned',
  'totalCommissionPaid',
] as const;

/** What is audited, and as what, or why not. A new kind of item does not compile until it is here. docs/behavior.md#audit-log */
export const auditedKinds = {
  AFFILIATE: audited({
    stored: StoredAffiliate,
    recordType: 'AFFILIATE',
    // Its own rate, or null for that of its group; which has entries of its own, as links have.
    fields: (affiliate, { id }) =>
      shown(
        Affiliate,
        {
          ...affiliate,
          name: fullName(affiliate),
          groupId: affiliate.groupId ?? defaultGroupId(id),
          affiliateLinks: linksOf(affiliate),
        },
        totalsOfAffiliate,
      ),
  }),
  GROUP: audited({
    stored: StoredGroup,
    recordType: 'GROUP',
    fields: (group, program) => shown(Group, groupResponse(applied(group, program), program.id)),
    unstored: (program, { id }) => (id === defaultGroupId(program.id) ? unstoredDefault(program) : undefined),
  }),
  LINK: audited({
    stored: StoredLink,
    recordType: 'LINK',
    fields: (link) => ({
      ...shown(Link, link, [
        'affiliate',
        'program',
        'promotionalCodes',
        'clicks',
        'referrals',
        'sales',
        'totalRevenue',
        'fullURLs',
      ]),
      affiliateId: link.affiliateId,
    }),
  }),
  COUPON: audited({
    stored: StoredCoupon,
    recordType: 'COUPON',
    // Whether it is switched on: time and redemptions are no change of it.
    fields: (coupon, { id }) =>
      shown(BareCoupon, { ...bareCouponResponse(coupon, id, new Date(0)), valid: coupon.enabled }, ['timesRedeemed']),
  }),
  PROMOTIONAL_CODE: audited({
    stored: StoredPromotionalCode,
    recordType: 'PROMOTIONAL_CODE',
    fields: (code) => shown(BarePromotionalCode, bareCodeResponse(code, undefined), ['timesRedeemed', 'affiliate']),
  }),
  REFERRAL: audited({
    stored: StoredReferral,
    recordType: 'REFERRAL',
    fields: (referral, program) =>
      shown(Referral, referralResponse(referral, program), ['totalRevenue', 'totalCommission']),
  }),
  SALE: audited({
    stored: StoredSale,
    recordType: 'SALE',
    recordId: ({ id }) => String(Number(id)),
    fields: (sale, program) => shown(Sale, saleResponse(sale, program)),
  }),
  PAYOUT_BATCH: audited({
    stored: StoredPayoutBatch,
    recordType: 'PAYOUT_BATCH',
    fields: (batch) => shown(PayoutBatch, { ...payoutBatchResponse(batch) }, ['payouts']),
  }),
  PROGRAM: audited({
    stored: StoredProgram,
    recordType: 'PROGRAM',
    fields: settingsOf,
    withoutVersion: ['plan'],
  }),
  MEMBER: audited({
    stored: StoredMember,
    recordType: 'MEMBER',
    fields: ({ email, role, invitedBy, acceptedAt }) => ({ email, role, invitedBy, acceptedAt }),
  }),
  API_KEY: audited({
    stored: StoredApiKey,
    recordType: ({ kind }) => (kind === 'CONNECTOR' ? 'CONNECTION' : 'API_KEY'),
    fields: ({ name, platforms, createdBy }) => ({ name, platforms, createdBy }),
  }),
  WEBHOOK: audited({
    stored: StoredWebhook,
    recordType: (webhook) => (isOwn(webhook) ? 'WEBHOOK' : 'SUBSCRIPTION'),
    fields: (webhook) => ({
      ...shown(Webhook, webhook, ['secret', 'previousSecretUntil', 'deactivatedAt']),
      // Of a rotation: never the secret.
      secretSetAt: secretSetAt(webhook),
    }),
  }),
  // Who takes all data away, and whether that ended.
  EXPORT: audited({ stored: StoredExport, recordType: 'EXPORT', fields: ({ status }) => ({ status }) }),
  ASSET: audited({
    stored: StoredAsset,
    recordType: 'ASSET',
    fields: ({ type, title, text, image }) => ({ type, title, text, image }),
  }),
  ADJUSTMENT: { notAudited: 'it follows from a refund, which is in the entry of its sale' },
  PAYOUT: { notAudited: 'it is the sum of sales, which name their batch, and the entry of the batch has the total' },
  LINK_CODE: { notAudited: 'it follows from a link and a code of one affiliate' },
  STATISTIC: { notAudited: 'it is a counter' },
  TOMBSTONE: { notAudited: 'it is the last state of a record, whose deletion is audited' },
  AUDIT: { notAudited: 'it is an entry of the log' },
  EVENT: { notAudited: 'it tells of a change that is audited' },
  IMPORT: { notAudited: 'what it writes is audited, and it has a report' },
  ERASURE: { notAudited: 'it must not keep who the person was' },
  FEED: { notAudited: 'it is the order of events' },
  DELIVERY: { notAudited: 'it is a log of its own' },
  IDEMPOTENCY: { notAudited: 'it is the response of a request whose changes are audited' },
  COUNTED: { notAudited: 'it is a mark of a worker' },
  UNCOUNTED: { notAudited: 'it is a mark of a worker' },
  IN_FLIGHT: { notAudited: 'it is a counter' },
  VISIT: { notAudited: 'it is a counter' },
  PORTAL_SESSION: { notAudited: 'it is a session, and what is done in it is audited' },
  MAIL: { notAudited: 'it is a mark of a worker, or a counter' },
} as const satisfies Record<Kind, ReturnType<typeof audited> | { notAudited: string }>;

const kinds = new Map<string, (typeof auditedKinds)[keyof typeof auditedKinds]>(Object.entries(auditedKinds));

export const auditOf = (kind: string): ReturnType<typeof audited> | undefined => {
  const found = kinds.get(kind);
  return found && 'stateOf' in found ? found : undefined;
};
