import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { once } from '../../shared/http/idempotency.ts';
import { admitted } from '../../shared/platform/clients/admission.ts';
import { Page } from '../../shared/platform/table/page.ts';
import { RecordWithPage } from '../../shared/platform/table/paged-responses.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { at, now } from '../support/domain.ts';
import { withLimits } from './api-path.ts';
import { makeKey, repeatablePath } from './repeatable-path.ts';

withLimits(1000, 1000);

const day = 24 * 60 * 60;

describe('a creation that was interrupted after it wrote its record', () => {
  /** A creation that fails at first behind its write; a read finds what was written. */
  const interruptedPath = (found: (id: string) => unknown) => {
    const recordIds: (string | undefined)[] = [];
    const { ask, given } = repeatablePath(async ({ idempotency, query: asked, body }, times) => {
      const { id } = Object(asked);
      if (id !== undefined) {
        expect(body).toEqual({});
        return found(id);
      }
      recordIds.push(await idempotency.existingRecordId());
      await writeTogether(idempotency.recordCreated(`record-${times}`));
      throw new Error('died');
    });
    return { ask, given, recordIds };
  };

  it.each<{ what: string; found: (id: string) => unknown }>([
    { what: 'the record', found: (id) => ({ id }) },
    { what: 'the record with a page of its parts', found: (id) => new RecordWithPage({ id }, undefined) },
    { what: 'a list of it', found: (id) => new Page([{ item: { id }, position: '' }], undefined) },
  ])('responds with the record as GET finds it: $what', async ({ found }) => {
    const { ask, given, recordIds } = interruptedPath(found);
    const key = await makeKey();
    expect((await ask(key)).status).toBe(500);
    const again = await ask(key);
    expect(again).toMatchObject({ status: 200, body: { id: 'record-1' } });
    expect(again.headers).not.toHaveProperty('idempotent-replayed');
    expect(await ask(key)).toMatchObject({ body: { id: 'record-1' }, headers: { 'idempotent-replayed': 'true' } });
    expect(given).toHaveLength(2);
    expect(recordIds).toEqual([undefined]);
  });

  it('runs again where its operation does not find records by itself, and knows of the record', async () => {
    const { ask, given, recordIds } = interruptedPath((id) => ({ id }));
    const key = await makeKey();
    for (const _ of ['first', 'again']) expect((await ask(key, { method: 'PATCH' })).status).toBe(500);
    expect(recordIds).toEqual([undefined, 'record-1']);
    expect(given).toHaveLength(2);
  });

  it('runs again where nothing was written', async () => {
    const { ask, given } = repeatablePath((_, times) => {
      if (times === 1) throw new Error('died');
      return { times };
    });
    const key = await makeKey();
    expect((await ask(key)).status).toBe(500);
    expect((await ask(key)).body).toEqual({ times: 2 });
    expect(given).toHaveLength(2);
  });
});

describe('a request that died after it wrote its record', () => {
  it.each([
    { seconds: 1, knows: true },
    { seconds: day, knows: true },
    { seconds: day + 1, knows: false },
  ])('knows of it after $seconds s: $knows', async ({ seconds, knows }) => {
    const request = { programId: randomUUID(), keyId: randomUUID(), apiKey: randomUUID() };
    const sent = { endpoint: 'POST /coupons', idempotencyKey: 'order-1', content: {} };
    const seen: unknown[] = [];
    const run = (when: Date, recordId: string) =>
      once({ ...request, ...sent, now: when }, async (idempotency, wasInterrupted) => {
        // The run that expects to be the first ends here.
        await admitted();
        const existing = await idempotency.existingRecordId();
        seen.push(wasInterrupted, existing);
        if (existing) return { statusCode: 200 };
        await writeTogether(idempotency.recordCreated(recordId));
        throw new Error(`died after ${recordId}`);
      });
    await expect(run(now, 'record-1')).rejects.toThrow('died after record-1');
    const again = run(new Date(at(seconds * 1000)), 'record-2');
    if (knows) expect(await again).toMatchObject({ statusCode: 200 });
    else await expect(again).rejects.toThrow('died after record-2');
    expect(seen).toEqual([false, undefined, knows, knows ? 'record-1' : undefined]);
  });
});
