import { randomUUID } from 'node:crypto';
import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { expect, it, vi } from 'vitest';
import { once } from '../../shared/http/idempotency.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { unavailableError, withRetryDeadline } from '../../shared/platform/table/retry-transient.ts';

const newRequest = () => ({
  programId: randomUUID(),
  keyId: randomUUID(),
  apiKey: randomUUID(),
  endpoint: 'POST /api/v1/coupons',
  idempotencyKey: 'k',
  content: {},
  now: new Date(),
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

it('a response that cannot be kept is returned, and says so; the key is free at once', async () => {
  const request = newRequest();
  const logged: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((line) => void logged.push(String(line)));
  const send = documents.send.bind(documents);
  const isKeeping = ({ input }: { input: object }) =>
    'UpdateExpression' in input && String(input.UpdateExpression).includes('statusCode');
  vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
    if (isKeeping(command)) throw new Error('the table is away');
    return send(command);
  }) as typeof documents.send);
  const run = vi.fn(succeed);
  const unkept = { statusCode: 200, body: 'done', headers: { 'idempotent-kept': 'false' } };
  expect(await once(request, run)).toEqual(unkept);
  expect(logged.join()).toContain('response not kept');
  expect(await once(request, run)).toEqual(unkept);
});
