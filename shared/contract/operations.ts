import { affiliateOperations } from './affiliates.ts';
import { connectorTwin } from './connector.ts';
import { connectionOperations } from './connector-connection.ts';
import { subscriptionOperations } from './connector-webhooks.ts';
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

/** The twins that operations of the main API have on the connector, served by the same Lambdas. */
export const connectorTwins: readonly Operation[] = operations.flatMap((operation) => connectorTwin(operation) ?? []);

/** What only the connector has. */
export const connectorOnly: readonly Operation[] = [...connectionOperations, ...subscriptionOperations];

/** Every operation of the connector. */
export const connectorOperations: readonly Operation[] = [...connectorOnly, ...connectorTwins];
