import { expectTypeOf } from 'vitest';
import type * as z from 'zod';
import type { eventCatalogue } from '../../events/catalogue.ts';
import type { EventType } from '../../shared/contract/event-types.ts';
import type { RecordKind } from '../../shared/contract/needs.ts';
import type { DeclaredPage } from '../../shared/contract/pages/pages.ts';
import type { belongings } from '../../shared/domain/deletions/purge-program.ts';
import { recordStore } from '../../shared/platform/table/record-store.ts';
import type { freshRequests, KeyOperationId } from '../api/every-operation.ts';
import type { foreignValues } from '../api/foreign-values.ts';
import type { freshPageRequests } from '../web/every-page.ts';

// The security suites have a case for each operation that takes a key, and for each page.
expectTypeOf<keyof typeof freshRequests>().toEqualTypeOf<KeyOperationId>();
expectTypeOf<keyof typeof foreignValues>().toEqualTypeOf<KeyOperationId>();
expectTypeOf<keyof typeof freshPageRequests>().toEqualTypeOf<DeclaredPage['id']>();

declare const requests: typeof freshRequests;
const { deleteCoupon, ...forgotten } = requests;
// @ts-expect-error A security case is missing.
export const incomplete: typeof freshRequests = forgotten;

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
