import type { DynamoDBStreamHandler, SQSHandler } from 'aws-lambda';
import { expectTypeOf } from 'vitest';
import type { FunctionNameOf } from '../../shared/contract/operation.ts';
import type { DeclaredOperation } from '../../shared/contract/operations.ts';
import type { documentationPages } from '../../shared/contract/pages/documentation.ts';
import type { DeclaredPage } from '../../shared/contract/pages/pages.ts';
import type { workers } from '../../shared/contract/workers.ts';

/** Every Lambda and the file that it is made from. A path, an area or a worker without a file does not compile. */
interface Functions {
  affiliates: typeof import('../../functions/affiliates.ts');
  'connect-promotional-code': typeof import('../../functions/connect-promotional-code.ts');
  'connector-test': typeof import('../../functions/connector-test.ts');
  'connector-token': typeof import('../../functions/connector-token.ts');
  'connector-webhooks': typeof import('../../functions/connector-webhooks.ts');
  coupons: typeof import('../../functions/coupons.ts');
  'create-automatic-codes': typeof import('../../functions/create-automatic-codes.ts');
  'deliver-webhook': typeof import('../../functions/deliver-webhook.ts');
  docs: typeof import('../../functions/docs.ts');
  events: typeof import('../../functions/events.ts');
  'fan-out-events': typeof import('../../functions/fan-out-events.ts');
  'finish-deletion': typeof import('../../functions/finish-deletion.ts');
  health: typeof import('../../functions/health.ts');
  links: typeof import('../../functions/links.ts');
  'not-found': typeof import('../../functions/not-found.ts');
  'openapi-json': typeof import('../../functions/openapi-json.ts');
  'payout-batches': typeof import('../../functions/payout-batches.ts');
  'prepare-payout-batch': typeof import('../../functions/prepare-payout-batch.ts');
  program: typeof import('../../functions/program.ts');
  'promotional-codes': typeof import('../../functions/promotional-codes.ts');
  'promotional-codes-bulk': typeof import('../../functions/promotional-codes-bulk.ts');
  'promotional-codes-validate': typeof import('../../functions/promotional-codes-validate.ts');
  referrals: typeof import('../../functions/referrals.ts');
  'retry-deliveries': typeof import('../../functions/retry-deliveries.ts');
  sales: typeof import('../../functions/sales.ts');
  'update-totals': typeof import('../../functions/update-totals.ts');
  'web-docs': typeof import('../../functions/web-docs.ts');
  'web-records': typeof import('../../functions/web-records.ts');
  'web-programs': typeof import('../../functions/web-programs.ts');
  'web-sign-in': typeof import('../../functions/web-sign-in.ts');
  'web-webhooks': typeof import('../../functions/web-webhooks.ts');
  'webhook-deliveries': typeof import('../../functions/webhook-deliveries.ts');
  'webhook-deliveries-retry': typeof import('../../functions/webhook-deliveries-retry.ts');
  webhooks: typeof import('../../functions/webhooks.ts');
  'webhooks-rotate-secret': typeof import('../../functions/webhooks-rotate-secret.ts');
  'webhooks-test': typeof import('../../functions/webhooks-test.ts');
}

// A scheduled worker has no line above: test/platform/scheduled-worker.unit.test.ts finds its file by its id.
type Worker = Exclude<(typeof workers)[number], { trigger: { kind: 'schedule' } }>;
type ConnectorOperation = Extract<DeclaredOperation, { surface: 'connector' }>;
type MainOperation = Exclude<DeclaredOperation, ConnectorOperation>;
type FunctionName =
  | FunctionNameOf<MainOperation['path']>
  | `connector-${FunctionNameOf<ConnectorOperation['path']>}`
  | DeclaredPage['function']
  | (typeof documentationPages)[number]['function']
  | Worker['id']
  | 'not-found';

// The contract and the files of `functions/` name the same Lambdas, no more and no less.
expectTypeOf<keyof Functions>().toEqualTypeOf<FunctionName>();

// Each of them exports a handler, and a worker one for its trigger.
type WorkerHandlers = {
  [W in Worker as W['id']]: { handler: W['trigger']['kind'] extends 'queue' ? SQSHandler : DynamoDBStreamHandler };
};
expectTypeOf<Pick<Functions, Worker['id']>>().toExtend<WorkerHandlers>();
expectTypeOf<Functions>().toExtend<Record<FunctionName, { handler: (...invocation: never[]) => unknown }>>();

expectTypeOf<FunctionNameOf<'/openapi.json'>>().toEqualTypeOf<'openapi-json'>();
expectTypeOf<FunctionNameOf<'/webhooks/{id}'>>().toEqualTypeOf<'webhooks'>();
expectTypeOf<FunctionNameOf<'/promotional-codes/bulk'>>().toEqualTypeOf<'promotional-codes-bulk'>();
