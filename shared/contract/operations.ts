import { affiliateOperations } from './affiliates.ts';
import { connectorVariant } from './connector.ts';
import { codeExchangeOperations, connectionTestOperations } from './connector-connection.ts';
import { subscriptionOperations } from './connector-webhooks.ts';
import { couponOperations } from './coupons.ts';
import { documentationOperations, openApiOperations } from './documentation.ts';
import { eventOperations } from './events.ts';
import { healthOperations } from './health.ts';
import { linkOperations } from './links.ts';
import type { Operation } from './operation.ts';
import { payoutBatchOperations } from './payout-batches.ts';
import { programOperations } from './program.ts';
import { bulkCodeOperations, codeValidationOperations, promotionalCodeOperations } from './promotional-codes.ts';
import { referralOperations } from './referrals.ts';
import { saleOperations } from './sales.ts';
import { deliveryRetryOperations, webhookDeliveryOperations } from './webhook-deliveries.ts';
import { secretRotationOperations, webhookOperations, webhookTestOperations } from './webhooks.ts';

// One list per Lambda: its handlers are checked against the list at compile time.
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
  ...healthOperations,
  ...openApiOperations,
  ...documentationOperations,
] as const;

const ownConnectorOperations = [
  ...codeExchangeOperations,
  ...connectionTestOperations,
  ...subscriptionOperations,
] as const;

export type DeclaredOperation = (typeof mainOperations)[number] | (typeof ownConnectorOperations)[number];

/** Routes, Lambdas, permissions, documentation and security tests are derived from it. */
export const operations: readonly Operation[] = mainOperations;

export const connectorVariants: readonly Operation[] = operations.flatMap(
  (operation) => connectorVariant(operation) ?? [],
);

export const connectorOnly: readonly Operation[] = ownConnectorOperations;

export const connectorOperations: readonly Operation[] = [...connectorOnly, ...connectorVariants];
