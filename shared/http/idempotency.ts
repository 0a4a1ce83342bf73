import { createHash, randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import * as z from 'zod';
import { ApiError, fieldError } from '../contract/errors.ts';
import { deployedName, documents } from '../table/client.ts';
import { partition } from '../table/partition.ts';
import { retryPassing } from '../table/transaction.ts';

/** A request that may be sent again. Keys are per API key and path. Decisions 1.10. */
export interface RepeatableRequest {
  programId: string;
  keyId: string;
  path: string;
  idempotencyKey: string;
  /** What was asked: another body with the same key is refused. */
  content: unknown;
  now: Date;
}

const keptSeconds = 24 * 60 * 60;
/** Longer than any request runs: after that, a request that never answered has died. */
const lockSeconds = 60;

const Kept = z.object({
  contentHash: z.string(),
  state: z.enum(['RUNNING', 'DONE']),
  statusCode: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.instanceof(Uint8Array).optional(),
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const itemKey = ({ programId, keyId, path, idempotencyKey }: RepeatableRequest) => ({
  pk: partition(programId, 'IDEMPOTENCY', keyId),
  sk: hashOf(`${path}\n${idempotencyKey}`),
});

const replay = (image: Record<string, unknown>, contentHash: string): APIGatewayProxyStructuredResultV2 => {
  const kept = Kept.parse(image);
  if (kept.contentHash !== contentHash) throw new ApiError('idempotency_key_reused');
  if (kept.state === 'RUNNING')
    throw new ApiError('conflict', 'A request with this Idempotency-Key is still running. Try again in a moment.');
  return {
    statusCode: kept.statusCode ?? 200,
    headers: { ...kept.headers, 'idempotent-replayed': 'true' },
    body: kept.body ? gunzipSync(kept.body).toString() : '',
  };
};

/**
 * Runs a request once for its Idempotency-Key and replays the first answer for 24 hours. 422 with another body, 409
 * while the first still runs. An answer of 5xx is not kept: the next request runs.
 */
export const once = async (
  request: RepeatableRequest,
  run: () => Promise<APIGatewayProxyStructuredResultV2>,
): Promise<APIGatewayProxyStructuredResultV2> => {
  if (request.idempotencyKey.length < 1 || request.idempotencyKey.length > 255)
    throw fieldError('Idempotency-Key', 'Idempotency-Key must have 1 to 255 characters');
  const TableName = deployedName('traffic');
  const Key = itemKey(request);
  const contentHash = hashOf(JSON.stringify(request.content));
  const nowSeconds = Math.floor(request.now.getTime() / 1000);
  const claim = randomUUID();
  const claiming = new PutCommand({
    TableName,
    Item: { ...Key, contentHash, claim, state: 'RUNNING', ttl: nowSeconds + lockSeconds },
    // The table deletes what has expired only after a while.
    ConditionExpression: 'attribute_not_exists(pk) OR #ttl < :now',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':now': nowSeconds },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await retryPassing(() => documents.send(claiming));
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException && error.Item)
      return replay(unmarshall(error.Item), contentHash);
    throw error;
  }
  const stillOurs = {
    ConditionExpression: 'claim = :claim',
    ExpressionAttributeValues: { ':claim': claim },
  };
  let answer: APIGatewayProxyStructuredResultV2;
  try {
    answer = await run();
  } catch (error) {
    await retryPassing(() => documents.send(new DeleteCommand({ TableName, Key, ...stillOurs })));
    throw error;
  }
  const keeping = new UpdateCommand({
    TableName,
    Key,
    UpdateExpression: 'SET #state = :done, statusCode = :status, headers = :headers, body = :body, #ttl = :ttl',
    ConditionExpression: stillOurs.ConditionExpression,
    ExpressionAttributeNames: { '#state': 'state', '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ...stillOurs.ExpressionAttributeValues,
      ':done': 'DONE',
      ':status': answer.statusCode ?? 200,
      ':headers': answer.headers ?? {},
      ':body': gzipSync(answer.body ?? ''),
      ':ttl': nowSeconds + keptSeconds,
    },
  });
  await retryPassing(() => documents.send(keeping));
  return answer;
};
