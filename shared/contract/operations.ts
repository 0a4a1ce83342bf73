import { affiliateOperations } from './affiliates.ts';
import { couponOperations } from './coupons.ts';
import { documentationOperations } from './documentation.ts';
import { eventOperations } from './events.ts';
import { linkOperations } from './links.ts';
import type { Operation } from './operation.ts';
import { payoutBatchOperations } from './payout-batches.ts';
import { programOperations } from './program.ts';
import { promotionalCodeOperations } from './promotional-codes.ts';
import { referralOperations } from './referrals.ts';
import { saleOperations } from './sales.ts';
import { webhookDeliveryOperations } from './webhook-deliveries.ts';
import { webhookOperations } from './webhooks.ts';

/** Every operation of the main API. Routes, Lambdas, permissions, documentation and security tests are read from it. */
export const operations: readonly Operation[] = [
  ...affiliateOperations,
  ...referralOperations,
  ...saleOperations,
  ...linkOperations,
  ...couponOperations,
  ...promotionalCodeOperations,
  ...payoutBatchOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...eventOperations,
  ...programOperations,
  ...documentationOperations,
];

/** The base path of the main API. Specification, "Versioning". */
export const apiBasePath = '/api/v1';

/** The operations by path: one Lambda serves one path. */
export const operationsByPath: ReadonlyMap<string, readonly Operation[]> = Map.groupBy(
  operations,
  (operation) => operation.path,
);
