import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { createPromotionalCodesInBulk } from '../../../shared/domain/promotional-codes/create-many.ts';
import { codesOfCoupon, promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import type { IdempotencyContext } from '../../../shared/platform/table/idempotency-context.ts';
import { deleteItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { newProgram, now, storeAffiliate, storeCode, storeCoupon, type TestProgram } from '../../support/domain.ts';

const setUp = async () => {
  const program = newProgram();
  const coupon = await storeCoupon(program);
  const codes = async () =>
    (await promotionalCodes.page(program.id, { limit: 100 }, codesOfCoupon(coupon.id))).items.map(({ code }) => code);
  return { program, couponId: coupon.id, codes };
};

type Entry = Readonly<Record<string, unknown>>;

/** Remembers what a request created, as the Idempotency-Key does. */
const context = () => {
  const created = new Map<number, string>();
  const keepRetryable = vi.fn();
  const idempotency: IdempotencyContext = {
    existingRecordId: async (part = 0) => created.get(part),
    recordCreated: (id, part = 0) => {
      created.set(part, id);
      return [];
    },
    keepRetryable,
  };
  return { created, keepRetryable, idempotency };
};

const create = (program: TestProgram, entries: readonly Entry[], idempotency?: IdempotencyContext) =>
  createPromotionalCodesInBulk(program, entries, now, idempotency);

const statuses = (results: readonly { status: number }[]) => results.map(({ status }) => status);

describe('a bulk of codes', () => {
  it('has a result for each entry in its place, and creates the good ones', async () => {
    const { program, couponId, codes } = await setUp();
    await storeCode(program, { id: couponId }, { code: 'TAKEN' });
    const entries: Entry[] = [
      { couponId, code: 'ONE' },
      { couponId, code: 'TAKEN' },
      { couponId },
      { couponId: randomUUID(), code: 'TWO' },
      { couponId, code: 'THREE', unknown: 1 },
      { couponId, code: 'FOUR', affiliateEmail: 'nobody@example.com' },
      { couponId, code: 'FIVE' },
    ];
    const results = await create(program, entries);
    expect(statuses(results)).toEqual([200, 400, 400, 404, 400, 404, 200]);
    expect(results[0]).toMatchObject({ promotionalCode: { code: 'ONE', couponId } });
    expect(results[1]).toMatchObject({ details: [{ path: 'code' }] });
    expect(results[4]).toMatchObject({ details: [{ path: 'unknown' }] });
    expect((await codes()).toSorted()).toEqual(['FIVE', 'ONE', 'TAKEN']);
  });

  it('with the same code twice creates the first', async () => {
    const { program, couponId, codes } = await setUp();
    const entry = (maxRedemptions: number) => ({ couponId, code: 'SAME', maxRedemptions });
    const results = await create(program, [entry(1), entry(2), entry(3)]);
    expect(statuses(results)).toEqual([200, 400, 400]);
    expect(results[0]).toMatchObject({ promotionalCode: { maxRedemptions: 1 } });
    expect(await codes()).toEqual(['SAME']);
  });

  it('with the same externalId twice creates one', async () => {
    const { program, couponId, codes } = await setUp();
    const results = await create(program, [
      { couponId, code: 'ONE', externalId: 'same' },
      { couponId, code: 'TWO', externalId: 'same' },
    ]);
    expect(statuses(results).toSorted()).toEqual([200, 400]);
    expect(await codes()).toHaveLength(1);
  });

  it('of one affiliate names it in each, and reads it once', async () => {
    const { program, couponId } = await setUp();
    const affiliate = await storeAffiliate(program);
    const send = vi.spyOn(documents, 'send');
    const results = await create(
      program,
      Array.from({ length: 20 }, (_, at) => ({ couponId, code: `CODE-${at}`, affiliateId: affiliate.id })),
    );
    const reads = send.mock.calls.filter(([command]) => command.constructor.name === 'GetCommand');
    // One of the coupon and one of the affiliate.
    expect(reads).toHaveLength(2);
    for (const result of results)
      expect(result).toMatchObject({ status: 200, promotionalCode: { affiliateId: affiliate.id } });
  });
});

describe('a bulk that is repeated', () => {
  it('returns what it made before, and creates what is missing', async () => {
    const { program, couponId, codes } = await setUp();
    const { created, idempotency, keepRetryable } = context();
    const [one, two] = [
      { couponId, code: 'ONE' },
      { couponId, code: 'TWO' },
    ];
    const [first] = await create(program, [one], idempotency);
    const again = await create(program, [one, two], idempotency);
    expect(again[0]).toEqual(first);
    expect(statuses(again)).toEqual([200, 200]);
    expect(created.size).toBe(2);
    expect((await codes()).toSorted()).toEqual(['ONE', 'TWO']);
    expect(keepRetryable).not.toHaveBeenCalled();
  });

  it('has a 404 for a code that was deleted since', async () => {
    const { program, couponId, codes } = await setUp();
    const { created, idempotency } = context();
    await create(program, [{ couponId, code: 'ONE' }], idempotency);
    await deleteItem('records', { pk: partition(program.id, 'PROMOTIONAL_CODE'), sk: created.get(0) ?? '' });
    expect(statuses(await create(program, [{ couponId, code: 'ONE' }], idempotency))).toEqual([404]);
    expect(await codes()).toEqual([]);
  });

  it('is kept retryable where one of its codes met our own failure, and no other reason keeps it so', async () => {
    const { program, couponId } = await setUp();
    const refused = context();
    await create(program, [{ couponId, code: 'ONE' }, { couponId }], refused.idempotency);
    expect(refused.keepRetryable).not.toHaveBeenCalled();
    const failing = context();
    const results = await create(
      program,
      [
        { couponId, code: 'TWO' },
        { couponId, code: 'THREE' },
      ],
      {
        ...failing.idempotency,
        existingRecordId: async (part) => {
          if (part === 1) throw new Error('The table is not there');
          return undefined;
        },
      },
    );
    expect(statuses(results)).toEqual([200, 500]);
    expect(JSON.stringify(results)).not.toContain('The table');
    expect(failing.keepRetryable).toHaveBeenCalledTimes(1);
  });
});
