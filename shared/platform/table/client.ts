import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { holdBackUntilAdmitted } from '../clients/admission.ts';
import { waitForConnection } from '../clients/connections.ts';
import { requestHandler } from '../clients/request-handler.ts';
import { retryWait } from '../clients/retry-wait.ts';

/** The SDK itself waits up to 1, 2, 4 and 8 seconds after throttling: too long within a request. */
const retryStrategy = new ConfiguredRetryStrategy(5, (attempt) => retryWait(attempt - 1));

export const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ retryStrategy, requestHandler }), {
  // `convertClassInstanceToMap`: metadata with a key `constructor` looks like a class instance.
  marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true },
});

// It copies every input and output for a log that nobody keeps: up to a third of a call's time.
documents.middlewareStack.remove('loggerMiddleware');

const reads = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand', 'ScanCommand']);
holdBackUntilAdmitted(documents.middlewareStack, (command) => reads.has(command));
waitForConnection(documents.middlewareStack);
