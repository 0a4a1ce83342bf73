import { randomUUID } from 'node:crypto';
import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { expect, it, vi } from 'vitest';
import { once } from '../../shared/http/idempotency.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { unavailableError, withRetryDeadline } from '../../shared/platform/table/retry-transient.ts';

const newRequest = () => ({
  ...{ programId: randomUUID(), keyId: randomUUID(), apiKey: randomUUID(), endpoint: 'POST /api/v1/coupons' },
  ...{ idempotencyKey: 'k', content: {}, now: new Date() },
});
const succeed = async () => ({ statusCode: 200, body: 'done' });

it('a key is free at once after a 503, although the time for retries is over and the first try to free it fails', async () => {
  const request = newRequest();
  const conflict = new TransactionConflictException({ message: 'busy', $metadata: {} });
  const failed = once(request, () =>
    withRetryDeadline(async () => {
      vi.spyOn(documents, 'send').mockRejectedValueOnce(conflict as never);
      throw unavailableError(conflict);
    }, 0),
  );
  await expect(failed).rejects.toMatchObject({ status: 503 });
  expect(await once(request, succeed)).toMatchObject({ statusCode: 200, body: 'done' });
});

it('a key that the database took without its response arriving belongs to the request that took it', async () => {
  const request = newRequest();
  const send = documents.send.bind(documents);
  vi.spyOn(documents, 'send').mockImplementationOnce((async (command: Parameters<typeof send>[0]) => {
    await send(command);
    return send(command);
  }) as typeof documents.send);
  expect(await once(request, succeed)).toMatchObject({ statusCode: 200, body: 'done' });
  expect(await once(request, succeed)).toMatchObject({ headers: { 'idempotent-replayed': 'true' } });
});
