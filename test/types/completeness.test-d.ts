import { expectTypeOf } from 'vitest';
import type * as z from 'zod';
import type { eventCatalogue } from '../../events/catalogue.ts';
import type { couponOperations } from '../../shared/contract/coupons.ts';
import type { EventType } from '../../shared/contract/event-types.ts';
import type { RecordKind } from '../../shared/contract/needs.ts';
import type { DeclaredPage } from '../../shared/contract/pages/pages.ts';
import type { belongings } from '../../shared/domain/deletions/purge-program.ts';
import { recordStore } from '../../shared/platform/table/record-store.ts';
import type { couponSamples } from '../operations/coupons.ts';
import type { SamplesOf } from '../operations/sample.ts';
import type { OperationId, samples } from '../operations/samples.ts';
import type { freshPageRequests } from '../web/every-page.ts';

// There is a sample of each operation, and the security suites have a request of each page.
expectTypeOf<keyof typeof samples>().toEqualTypeOf<OperationId>();
expectTypeOf<keyof typeof freshPageRequests>().toEqualTypeOf<DeclaredPage['id']>();

declare const ofCoupons: typeof couponSamples;
const { deleteCoupon, ...forgotten } = ofCoupons;
// @ts-expect-error A sample is missing.
export const incomplete: SamplesOf<typeof couponOperations> = forgotten;
const { foreign, ...withoutForeign } = deleteCoupon;
// @ts-expect-error The values by which another program could name the record are missing.
export const open: SamplesOf<typeof couponOperations> = { ...ofCoupons, deleteCoupon: withoutForeign };

// Every type of event is made by something, or is a request's own.
expectTypeOf<(typeof eventCatalogue)[number]['type']>().toEqualTypeOf<EventType>();

// The deletion of a program knows the store of every kind of record, and deletes the unique values that the store declares.
type Purged = ReturnType<typeof belongings>;
expectTypeOf<keyof Purged>().toEqualTypeOf<Exclude<RecordKind, 'TOMBSTONE' | 'LINK_CODE' | 'PAYOUT'>>();
declare const purged: Purged;
const { WEBHOOK, ...withoutWebhooks } = purged;
// @ts-expect-error A kind of record is missing.
export const withoutKind: Purged = withoutWebhooks;
// @ts-expect-error The store is of another kind, so its unique values would stay.
export const withWrongStore: Purged = { ...withoutWebhooks, WEBHOOK: purged.LINK };

declare const Stored: z.ZodType<{ id: string; createdAt: string; updatedAt: string; version: number; email: string }>;
const store = recordStore({
  table: 'records',
  kind: 'REFERRAL',
  schema: Stored,
  uniques: { EMAIL: ({ email }) => ({ value: email, refusal: () => new Error('taken') }) },
});
expectTypeOf(store.kind).toEqualTypeOf<'REFERRAL'>();
export const found = store.find('program', 'EMAIL', 'amara@example.com');
// @ts-expect-error The store declares no unique value of this name.
store.find('program', 'PHONE', '1');
