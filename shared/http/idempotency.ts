import { createHash, hkdfSync, randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import * as z from 'zod';
import { ApiError, fieldError } from '../contract/errors.ts';
import { runAhead } from '../platform/clients/admission.ts';
import { logError } from '../platform/logs/log.ts';
import { deployedName } from '../platform/table/deployed-name.ts';
import type { IdempotencyContext } from '../platform/table/idempotency-context.ts';
import { getItem, updateItem } from '../platform/table/items.ts';
import { partition } from '../platform/table/partition.ts';
import { withRetryDeadline } from '../platform/table/retry-transient.ts';

/** See docs/behavior.md#idempotency-keys */
export interface IdempotentRequest {
  programId: string;
  keyId: string;
  /** The response is encrypted with it. */
  apiKey: string;
  endpoint: string;
  idempotencyKey: string;
  content: unknown;
  now: Date;
}

const keptSeconds = 24 * 60 * 60;
/** Compressed and encrypted: an item holds 400 KB. */
const maxKeptBytes = 256 * 1024;
/** Longer than any request runs. */
const lockSeconds = 60;
/** To end a request whose own time for retries may be over. */
const endMilliseconds = 3000;

/** TTL deletes expired items late. */
const notThere = '(attribute_not_exists(pk) OR #ttl < :now)';

export const KeptResponse = z.object({
  contentHash: z.string(),
  state: z.enum(['RUNNING', 'DONE']),
  statusCode: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.string().optional(),
});

const CreatedRecord = z.object({ recordId: z.string(), ttl: z.number() });

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Independent of key order. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    inner instanceof Object && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );

/** A 400 that only another input would change. */
export const isInvalidInput = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'bad_request' && !error.details?.some(({ code }) => code);

const itemKey = ({ programId, keyId, endpoint, idempotencyKey }: IdempotentRequest) => ({
  pk: partition(programId, 'IDEMPOTENCY', keyId),
  sk: hashOf(`${endpoint}\n${idempotencyKey}`),
});

/** The encryption key is derived from the API key, of which the table has only a hash. */
const encryptionKeyOf = ({ apiKey }: IdempotentRequest): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', apiKey, '', 'kept response', 32));

const encrypted = async (text: string, request: IdempotentRequest): Promise<string> => {
  const { CompactEncrypt } = await import('jose');
  const response = new CompactEncrypt(gzipSync(text)).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' });
  return response.encrypt(encryptionKeyOf(request));
};

const decrypted = async (body: string, request: IdempotentRequest): Promise<string> => {
  const { compactDecrypt } = await import('jose');
  return gunzipSync((await compactDecrypt(body, encryptionKeyOf(request))).plaintext).toString();
};

const replay = async (
  image: Record<string, unknown>,
  contentHash: string,
  request: IdempotentRequest,
): Promise<APIGatewayProxyStructuredResultV2> => {
  const kept = KeptResponse.parse(image);
  if (kept.contentHash !== contentHash) throw new ApiError('idempotency_key_reused');
  if (kept.state === 'RUNNING')
    throw new ApiError('conflict', 'A request with this Idempotency-Key is still running. Try again in a moment.', {
      headers: { 'retry-after': '1' },
    });
  return {
    statusCode: kept.statusCode ?? 200,
    headers: { ...kept.headers, 'idempotent-replayed': 'true' },
    body: kept.body ? await decrypted(kept.body, request) : '',
  };
};

type ItemKey = ReturnType<typeof itemKey>;

/** One item for each record that the request created. */
const contextOf = (
  key: ItemKey,
  wasInterrupted: boolean,
  nowSeconds: number,
): Omit<IdempotencyContext, 'keepRetryable'> => {
  const TableName = deployedName('traffic');
  const createdKey = (part: number) => ({ pk: key.pk, sk: `${key.sk}#${part}` });
  return {
    existingRecordId: async (part = 0) => {
      if (!wasInterrupted) return undefined;
      const created = CreatedRecord.optional().parse(await getItem('traffic', createdKey(part)));
      return created && created.ttl >= nowSeconds ? created.recordId : undefined;
    },
    recordCreated: (recordId, part = 0) => [
      {
        Put: {
          TableName,
          Item: { ...createdKey(part), recordId, ttl: nowSeconds + keptSeconds },
          ConditionExpression: notThere,
          ExpressionAttributeNames: { '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':now': nowSeconds },
        },
        // Not kept: the next request gets what the other run created.
        refusal: () => new Error('Another run of this request, which was presumed dead, made the record'),
      },
    ],
  };
};

/** Whether a response could be kept. What was done for the request stays done where it could not. */
const isKeptBy = async (keeping: () => Promise<{ isWritten: boolean }>): Promise<boolean> => {
  try {
    return (await keeping()).isWritten;
  } catch (error) {
    logError('response not kept', error);
    return false;
  }
};

const take = async (
  request: IdempotentRequest,
  key: ItemKey,
  contentHash: string,
  claim: string,
  nowSeconds: number,
): Promise<'new' | 'interrupted' | APIGatewayProxyStructuredResultV2> => {
  const taken = await updateItem('traffic', key, {
    UpdateExpression:
      'SET contentHash = :hash, claim = :claim, #state = :running, lockedUntil = :lockedUntil, #ttl = :ttl',
    ConditionExpression: `${notThere} OR (#state = :running AND lockedUntil < :now AND contentHash = :hash)`,
    ExpressionAttributeNames: { '#state': 'state', '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':hash': contentHash,
      ':claim': claim,
      ':running': 'RUNNING',
      ':lockedUntil': nowSeconds + lockSeconds,
      ':ttl': nowSeconds + keptSeconds,
      ':now': nowSeconds,
    },
    ReturnValues: 'ALL_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!taken.isWritten) {
    // The database took it, but its response was lost and the SDK sent it again.
    return taken.item?.claim === claim ? 'interrupted' : replay(taken.item ?? {}, contentHash, request);
  }
  return taken.value && Number(taken.value.ttl) >= nowSeconds ? 'interrupted' : 'new';
};

/** Ends a request as long as no other run has taken its key since. */
const updateClaimed =
  (key: ItemKey, claim: string) =>
  (UpdateExpression: string, values: Record<string, unknown>, names?: Record<string, string>) =>
    withRetryDeadline(
      () =>
        updateItem('traffic', key, {
          UpdateExpression,
          ConditionExpression: 'claim = :claim',
          ...(names && { ExpressionAttributeNames: names }),
          ExpressionAttributeValues: { ':claim': claim, ...values },
        }),
      endMilliseconds,
    );

/** The admission of a run that expects to be the first. */
const firstOf = async (taking: ReturnType<typeof take>): Promise<void> => {
  if ((await taking) !== 'new') throw new ApiError('conflict', 'Another run of this request came first');
};

/**
 * Its reads run beside the claim of the key. 422 with another body, 409 while the first runs. `idempotency` tells what an
 * interrupted run created. A key is forgotten where `createdNothing` holds of the error.
 */
export const once = async (
  request: IdempotentRequest,
  run: (idempotency: IdempotencyContext, wasInterrupted: boolean) => Promise<APIGatewayProxyStructuredResultV2>,
  createdNothing: (error: unknown) => boolean = isInvalidInput,
): Promise<APIGatewayProxyStructuredResultV2> => {
  if (request.idempotencyKey.length < 1 || request.idempotencyKey.length > 255)
    throw fieldError('Idempotency-Key', 'Idempotency-Key must have 1 to 255 characters');
  const key = itemKey(request);
  const nowSeconds = Math.floor(request.now.getTime() / 1000);
  const claim = randomUUID();
  const taking = take(request, key, hashOf(canonicalJson(request.content)), claim, nowSeconds);
  const update = updateClaimed(key, claim);
  // Where these fail too, the lock ends by itself.
  const end = (ending: Promise<unknown>): Promise<unknown> => ending.catch(() => undefined);
  // Records created before a failure stay: the next request continues.
  const unlock = () => end(update('SET lockedUntil = :never', { ':never': 0 }));
  // Nothing was created: the next request may have another body.
  const forget = () => end(update('SET #ttl = :never', { ':never': 0 }, { '#ttl': 'ttl' }));
  let response: APIGatewayProxyStructuredResultV2;
  let isRetryable = false;
  const keepRetryable = () => {
    isRetryable = true;
  };
  const runAs = (taken: 'new' | 'interrupted') =>
    run({ ...contextOf(key, taken === 'interrupted', nowSeconds), keepRetryable }, taken === 'interrupted');
  const [taken, ahead] = await Promise.allSettled([taking, runAhead(firstOf(taking), () => runAs('new'))]);
  if (taken.status === 'rejected') throw taken.reason;
  if (typeof taken.value === 'object') return taken.value;
  try {
    if (taken.value === 'interrupted') {
      isRetryable = false;
      response = await runAs('interrupted');
    } else if (ahead.status === 'rejected') throw ahead.reason;
    else response = ahead.value;
  } catch (error) {
    await (createdNothing(error) ? forget() : unlock());
    throw error;
  }
  if (isRetryable) {
    await unlock();
    return response;
  }
  const body = await encrypted(response.body ?? '', request);
  const keep = () =>
    update(
      'SET #state = :done, statusCode = :status, headers = :headers, body = :body',
      {
        ':done': 'DONE',
        ':status': response.statusCode ?? 200,
        ':headers': response.headers ?? {},
        ':body': body,
      },
      { '#state': 'state' },
    );
  const isKept = body.length <= maxKeptBytes && (await isKeptBy(keep));
  if (isKept) return response;
  await unlock();
  return { ...response, headers: { ...response.headers, 'idempotent-kept': 'false' } };
};
