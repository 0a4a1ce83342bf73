import { affiliateOperations } from './affiliates.ts';
import { connectorTwin } from './connector.ts';
import { codeExchangeOperations, connectionTestOperations } from './connector-connection.ts';
import { subscriptionOperations } from './connector-webhooks.ts';
import { couponOperations } from './coupons.ts';
import { documentationOperations, openApiOperations } from './documentation.ts';
import { eventOperations } from './events.ts';
import { linkOperations } from './links.ts';
import type { Operation } from './operation.ts';
import { payoutBatchOperations } from './payout-batches.ts';
import { programOperations } from './program.ts';
import { bulkCodeOperations, codeValidationOperations, promotionalCodeOperations } from './promotional-codes.ts';
import { referralOperations } from './referrals.ts';
import { saleOperations } from './sales.ts';
import { deliveryRetryOperations, webhookDeliveryOperations } from './webhook-deliveries.ts';
import { secretRotationOperations, webhookOperations, webhookTestOperations } from './webhooks.ts';

// One list for each Lambda: its handlers are checked against it when it is compiled.
const mainOperations = [
  ...affiliateOperations,
  ...referralOperations,
  ...saleOperations,
  ...linkOperations,
  ...couponOperations,
  ...promotionalCodeOperations,
  ...codeValidationOperations,
  ...bulkCodeOperations,
  ...payoutBatchOperations,
  ...webhookOperations,
  ...secretRotationOperations,
  ...webhookTestOperations,
  ...webhookDeliveryOperations,
  ...deliveryRetryOperations,
  ...eventOperations,
  ...programOperations,
  ...openApiOperations,
  ...documentationOperations,
] as const;

const ownConnectorOperations = [
  ...codeExchangeOperations,
  ...connectionTestOperations,
  ...subscriptionOperations,
] as const;

/** Every operation that is declared, with its precise type. */
export type DeclaredOperation = (typeof mainOperations)[number] | (typeof ownConnectorOperations)[number];

/** Every operation of the main API. Routes, Lambdas, permissions, documentation and security tests are read from it. */
export const operations: readonly Operation[] = mainOperations;

/** The twins that operations of the main API have on the connector, served by the same Lambdas. */
export const connectorTwins: readonly Operation[] = operations.flatMap((operation) => connectorTwin(operation) ?? []);

/** What only the connector has. */
export const connectorOnly: readonly Operation[] = ownConnectorOperations;

/** Every operation of the connector. */
export const connectorOperations: readonly Operation[] = [...connectorOnly, ...connectorTwins];
