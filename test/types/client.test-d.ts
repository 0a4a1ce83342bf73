import { expectTypeOf } from 'vitest';
import * as z from 'zod';
import type { MethodOf, ResourceOf } from '../../shared/client/names.ts';
import type { Client, ClientOf, ClientOperation } from '../../shared/client/surface.ts';
import type { WebhookEvent } from '../../shared/client/webhook-event.ts';
import type { EventType } from '../../shared/contract/event-types.ts';
import { operation } from '../../shared/contract/operation.ts';
import type { DeclaredOperation } from '../../shared/contract/operations.ts';

type NameOf<O extends ClientOperation> = `${ResourceOf<O>}.${MethodOf<O>}`;
type NameIn<C> = { [R in keyof C & string]: `${R}.${keyof C[R] & string}` }[keyof C & string];
type Named<Name> = {
  [O in ClientOperation as O['id']]: Name extends NameOf<O> ? O['id'] : never;
}[ClientOperation['id']];
type IsUnion<T, Whole = T> = T extends Whole ? ([Whole] extends [T] ? false : true) : never;

// Every operation of the main API is a method, no two are the same one, and there are no others.
expectTypeOf<Named<NameIn<Client>>>().toEqualTypeOf<ClientOperation['id']>();
expectTypeOf<{ [Name in NameIn<Client>]: IsUnion<Named<Name>> }[NameIn<Client>]>().toEqualTypeOf<false>();
expectTypeOf<Exclude<DeclaredOperation['id'], ClientOperation['id']>>().toEqualTypeOf<
  Extract<DeclaredOperation, { surface: 'connector' }>['id']
>();

// A new operation is a method without an edit of the client.
const archivePayoutBatch = operation({
  id: 'archivePayoutBatch',
  method: 'POST',
  path: '/payout-batches/archive',
  auth: 'key',
  tag: 'Payout batches',
  summary: 'Archive a payout batch',
  query: z.strictObject({}),
  body: z.strictObject({ payoutBatchId: z.uuid(), reason: z.string() }),
  response: z.object({ archived: z.boolean() }),
  errors: [],
  needs: [],
  example: {},
});
declare const next: ClientOf<ClientOperation | typeof archivePayoutBatch>;
expectTypeOf(next.payoutBatches.archive).parameter(0).toEqualTypeOf<string>();
expectTypeOf(next.payoutBatches.archive).parameter(1).toEqualTypeOf<{ reason: string }>();
expectTypeOf(next.payoutBatches.archive).returns.resolves.toEqualTypeOf<{ archived: boolean }>();
expectTypeOf(next.payoutBatches.list).toEqualTypeOf<Client['payoutBatches']['list']>();

declare const client: Client;
expectTypeOf<keyof Client['promotionalCodes']>().toEqualTypeOf<
  'list' | 'get' | 'create' | 'update' | 'delete' | 'validate' | 'createInBulk'
>();
expectTypeOf(client.sales.refund).parameter(0).toEqualTypeOf<number>();
expectTypeOf(client.sales.refund).parameter(1).toEqualTypeOf<{ amount?: number | undefined } | undefined>();
expectTypeOf(client.webhooks.rotateSecret).parameter(0).toEqualTypeOf<string>();
expectTypeOf(client.program.get).returns.resolves.toHaveProperty('currency');
expectTypeOf((await client.promotionalCodes.get('code:HELLO20')).coupon.percentOff).toEqualTypeOf<number | null>();

// Filters have the types of their values, and one record is read by get.
client.promotionalCodes.list({ active: true, limit: 10, createdAfter: '2026-01-31' });
// @ts-expect-error A filter that the operation does not have.
client.promotionalCodes.list({ activ: true });
// @ts-expect-error A selector.
client.promotionalCodes.list({ code: 'HELLO20' });
// @ts-expect-error A required field is missing.
client.promotionalCodes.create({ code: 'HELLO20' });
// @ts-expect-error A body without an id, where only the id names the record.
client.coupons.update({ valid: false });
client.affiliates.update({ emailAddress: 'amara@example.com', commissionRate: 25 });

// What goes into a query is a text, a number or a boolean.
type Queries = {
  [O in ClientOperation as O['id']]: z.output<O['query']>[keyof z.output<O['query']>];
}[ClientOperation['id']];
expectTypeOf<Queries>().toExtend<string | number | boolean | undefined>();

// The type of an event tells the type of its data.
expectTypeOf<WebhookEvent['type']>().toEqualTypeOf<EventType>();
declare const event: WebhookEvent;
if (event.type === 'sale.refunded') expectTypeOf(event.data.refundedAmount).toEqualTypeOf<number>();
if (event.type === 'coupon.created') expectTypeOf(event.data).not.toHaveProperty('promotionalCodes');
