import { expectTypeOf } from 'vitest';
import * as z from 'zod';
import type { couponOperations, listCoupons } from '../../shared/contract/coupons.ts';
import { operation } from '../../shared/contract/operation.ts';
import type { deliveryPages, showDelivery } from '../../shared/contract/pages/deliveries.ts';
import type { bulkCodeOperations } from '../../shared/contract/promotional-codes.ts';
import { apiPath } from '../../shared/http/api.ts';
import type { HandlersOf } from '../../shared/http/handlers.ts';
import { queueWorker } from '../../shared/platform/queue/queue-worker.ts';
import type { PageHandlersOf } from '../../shared/web/handlers.ts';
import { webArea } from '../../shared/web/web.ts';

declare const coupons: typeof couponOperations;
declare const bulkCodes: typeof bulkCodeOperations;
declare const couponHandlers: HandlersOf<typeof couponOperations>;
declare const bulkHandlers: HandlersOf<typeof bulkCodeOperations>;
const { deleteCoupon, ...withoutDeletion } = couponHandlers;

export const path = apiPath(coupons, couponHandlers);

// @ts-expect-error A forgotten handler.
apiPath(coupons, withoutDeletion);

// @ts-expect-error A handler of an operation that the path does not have.
apiPath(coupons, { ...couponHandlers, archiveCoupon: deleteCoupon });

// @ts-expect-error Operations of two paths, and so of two Lambdas.
apiPath([...coupons, ...bulkCodes], { ...couponHandlers, ...bulkHandlers });

// @ts-expect-error A handler of another operation under this id.
apiPath(coupons, { ...couponHandlers, createCoupon: bulkHandlers.createPromotionalCodesInBulk });

const archiveCoupon = operation({
  id: 'archiveCoupon',
  method: 'POST',
  path: '/coupons',
  auth: 'key',
  tag: 'Coupons',
  summary: 'Archive a coupon',
  query: z.strictObject({}),
  response: z.object({}),
  errors: [],
  needs: [],
  example: {},
});
// @ts-expect-error A list that operations.ts does not have, so that no route leads to it.
apiPath([archiveCoupon], { archiveCoupon: async () => ({}) });

// @ts-expect-error A write whose id is in its path, which no method of the client could send.
operation({ ...archiveCoupon, path: '/coupons/{id}', parameters: z.strictObject({ id: z.uuid() }) });

// A handler is given what its own operation declares.
type ListRequest = Parameters<HandlersOf<typeof couponOperations>['listCoupons']>[0];
expectTypeOf<ListRequest['query']>().toEqualTypeOf<z.output<(typeof listCoupons)['query']>>();
expectTypeOf<ListRequest['body']>().toEqualTypeOf<Record<string, never>>();

declare const pages: typeof deliveryPages;
declare const pageHandlers: PageHandlersOf<typeof deliveryPages>;
const { resendDelivery, ...withoutAction } = pageHandlers;

export const area = webArea(pages, pageHandlers);

// @ts-expect-error A forgotten action.
webArea(pages, withoutAction);

// @ts-expect-error A handler of a page that the area does not have.
webArea(pages, { ...pageHandlers, deleteDelivery: resendDelivery });

// A handler of a page is given the parameters of its path, and the session that the page asks for.
type ShowRequest = Parameters<
  Extract<PageHandlersOf<readonly [typeof showDelivery]>['showDelivery'], (request: never) => unknown>
>[0];
expectTypeOf<keyof ShowRequest['parameters']>().toEqualTypeOf<'programId' | 'webhookId' | 'deliveryId'>();
expectTypeOf<ShowRequest['session']>().not.toBeNullable();

export const worker = queueWorker('finish-deletion', z.object({ id: z.string() }), async ({ id }) => {
  expectTypeOf(id).toBeString();
});

// @ts-expect-error No worker of this name reads a queue.
queueWorker('fan-out-events', z.object({}), async () => undefined);
