import { affiliateOperations } from './affiliates.ts';
import { couponOperations } from './coupons.ts';
import { documentationOperations } from './documentation.ts';
import type { Operation } from './operation.ts';
import { programOperations } from './program.ts';
import { promotionalCodeOperations } from './promotional-codes.ts';
import { webhookOperations } from './webhooks.ts';

/** Every operation of the main API. Routes, Lambdas, permissions, documentation and security tests are read from it. */
export const operations: readonly Operation[] = [
  ...affiliateOperations,
  ...couponOperations,
  ...promotionalCodeOperations,
  ...webhookOperations,
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
