import * as affiliates from './affiliates.ts';
import * as auditLog from './audit-log.ts';
import { connectorVariant } from './connector.ts';
import * as connectorConnection from './connector-connection.ts';
import * as connectorWebhooks from './connector-webhooks.ts';
import * as coupons from './coupons.ts';
import * as documentation from './documentation.ts';
import * as erasures from './erasures.ts';
import * as events from './events.ts';
import * as exports from './exports.ts';
import * as groups from './groups.ts';
import * as health from './health.ts';
import * as links from './links.ts';
import type { Operation } from './operation.ts';
import * as payoutBatches from './payout-batches.ts';
import * as portalLinks from './portal-links.ts';
import * as program from './program.ts';
import * as promotionalCodes from './promotional-codes.ts';
import * as referrals from './referrals.ts';
import * as salePreview from './sale-preview.ts';
import * as saleReview from './sale-review.ts';
import * as sales from './sales.ts';
import * as statistics from './statistics.ts';
import * as webhookDeliveries from './webhook-deliveries.ts';
import * as webhooks from './webhooks.ts';

// One file per resource. Each list that it exports is a Lambda, whose handlers are checked against the list at compile time.
const mainResources = [
  affiliates,
  portalLinks,
  groups,
  referrals,
  sales,
  salePreview,
  saleReview,
  links,
  coupons,
  promotionalCodes,
  payoutBatches,
  webhooks,
  webhookDeliveries,
  events,
  auditLog,
  erasures,
  statistics,
  exports,
  program,
  health,
  documentation,
] as const;

const ownConnectorResources = [connectorConnection, connectorWebhooks] as const;

type OperationsOf<Resource> = Resource extends unknown
  ? Extract<Resource[keyof Resource], readonly Operation[]>[number]
  : never;

export type DeclaredOperation = OperationsOf<(typeof mainResources)[number] | (typeof ownConnectorResources)[number]>;

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

const isOperations = (exported: unknown): exported is readonly Operation[] =>
  Array.isArray(exported) && exported.length > 0 && exported.every(isOperation);

/** The path of a Lambda, without the id that may follow it. */
const pathOf = (list: readonly Operation[]): string => list.map(({ path }) => path).sort()[0] ?? '';

/** The operations of a resource, in the order of their paths, since the exports of a file have none. */
const operationsOf = (resource: object): Operation[] =>
  Object.values(resource)
    .filter(isOperations)
    .sort((one, other) => (pathOf(one) < pathOf(other) ? -1 : 1))
    .flat();

/** Routes, Lambdas, permissions, documentation and security tests are derived from it. */
export const operations: readonly Operation[] = mainResources.flatMap(operationsOf);

export const connectorVariants: readonly Operation[] = operations.flatMap(
  (operation) => connectorVariant(operation) ?? [],
);

export const connectorOnly: readonly Operation[] = ownConnectorResources.flatMap(operationsOf);

export const connectorOperations: readonly Operation[] = [...connectorOnly, ...connectorVariants];
