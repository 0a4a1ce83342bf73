import type { DynamoDBStreamHandler, SQSHandler } from 'aws-lambda';
import { expectTypeOf } from 'vitest';
import type { FunctionNameOf } from '../../shared/contract/operation.ts';
import type { workers } from '../../shared/contract/workers.ts';

/** The workers of streams and queues, each with the file that it is made from. */
interface Files {
  'connect-promotional-code': typeof import('../../functions/connect-promotional-code.ts');
  'count-clicks': typeof import('../../functions/count-clicks.ts');
  'create-automatic-codes': typeof import('../../functions/create-automatic-codes.ts');
  'deliver-webhook': typeof import('../../functions/deliver-webhook.ts');
  'export-program': typeof import('../../functions/export-program.ts');
  'erase-person': typeof import('../../functions/erase-person.ts');
  'fan-out-events': typeof import('../../functions/fan-out-events.ts');
  'finish-deletion': typeof import('../../functions/finish-deletion.ts');
  'handle-portal-request': typeof import('../../functions/handle-portal-request.ts');
  'mail-feedback': typeof import('../../functions/mail-feedback.ts');
  'mail-first-sale': typeof import('../../functions/mail-first-sale.ts');
  'prepare-payout-batch': typeof import('../../functions/prepare-payout-batch.ts');
  'run-import': typeof import('../../functions/run-import.ts');
  'retry-deliveries': typeof import('../../functions/retry-deliveries.ts');
  'send-mail': typeof import('../../functions/send-mail.ts');
  'update-totals': typeof import('../../functions/update-totals.ts');
}

// A scheduled worker has no line above: test/platform/scheduled-worker.unit.test.ts finds its file by its id. That every other
// Lambda has a file, and every file a Lambda, is in test/contract/functions.unit.test.ts.
type Worker = Exclude<(typeof workers)[number], { trigger: { kind: 'schedule' } }>;
expectTypeOf<keyof Files>().toEqualTypeOf<Worker['id']>();

// Each exports a handler for its trigger.
type WorkerHandlers = {
  [W in Worker as W['id']]: { handler: W['trigger']['kind'] extends 'queue' ? SQSHandler : DynamoDBStreamHandler };
};
expectTypeOf<Files>().toExtend<WorkerHandlers>();

expectTypeOf<FunctionNameOf<'/openapi.json'>>().toEqualTypeOf<'openapi-json'>();
expectTypeOf<FunctionNameOf<'/webhooks/{id}'>>().toEqualTypeOf<'webhooks'>();
expectTypeOf<FunctionNameOf<'/promotional-codes/bulk'>>().toEqualTypeOf<'promotional-codes-bulk'>();
