import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { maxReadAgeMilliseconds, untilSettled } from '../../../shared/domain/uses/settle.ts';
import { countedWrite, hasUncounted, uncountedMarker } from '../../../shared/domain/uses/uncounted.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { ConcurrentModificationError } from '../../../shared/platform/table/keys.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { at, newProgram, now, type storeCode, type TestProgram } from '../../support/domain.ts';
import { cappedCode, kind } from './capped-code.ts';

afterEach(() => vi.restoreAllMocks());

describe('a redemption that is not counted yet', () => {
  const couponId = randomUUID();
  it('is found by its coupon and its code, by no other one, until it is counted', async () => {
    const { id: programId } = newProgram();
    // Ids of every ending, which lie in parts of their own.
    for (const recordId of ['1', '2', '3', '4', 'a', 'f']) {
      const uncounted = { couponId, codeId: 'code', recordId };
      await writeTogether([uncountedMarker(programId, uncounted, now)]);
      const again = writeTogether([uncountedMarker(programId, uncounted, now)]);
      await expect(again).rejects.toBeInstanceOf(ConcurrentModificationError);
      expect(await hasUncounted(programId, couponId)).toBe(true);
      expect(await hasUncounted(programId, couponId, 'code')).toBe(true);
      expect(await hasUncounted(programId, couponId, 'cod')).toBe(false);
      expect(await hasUncounted(programId, randomUUID())).toBe(false);
      expect(await hasUncounted(newProgram().id, couponId)).toBe(false);
      const before = () => new Error('It was counted before');
      await writeTogether([countedWrite(programId, uncounted, before)]);
      await expect(writeTogether([countedWrite(programId, uncounted, before)])).rejects.toThrow('counted before');
      expect(await hasUncounted(programId, couponId)).toBe(false);
    }
  });

  it('lies in one of four parts, and expires after the stream has forgotten it', () => {
    const markers = ['0', '1', '2', '3', '4'].map((recordId) =>
      uncountedMarker('p', { couponId, codeId: 'c', recordId }, now),
    );
    expect(new Set(markers.map(({ Put }) => Put?.Item?.pk)).size).toBe(4);
    for (const { Put } of markers) expect(Put?.Item?.ttl).toBe(now.getTime() / 1000 + 8 * 24 * 60 * 60);
  });
});

describe('a first cap', () => {
  const longAgo = { createdAt: at(-60_000), cappedSince: at(-maxReadAgeMilliseconds - 2000), isCapEdited: true };
  const settle = (program: TestProgram, record: Awaited<ReturnType<typeof storeCode>>) =>
    untilSettled(program.id, kind, { record, couponId: record.couponId });

  it.each([
    { is: 'settled', overrides: { ...longAgo, isSettled: true } },
    { is: 'as old as its code', overrides: { ...longAgo, cappedSince: longAgo.createdAt } },
    { is: 'none', overrides: { ...longAgo, cappedSince: null } },
  ])('that is $is is in force', async ({ overrides }) => {
    const { program, code } = await cappedCode(5, overrides);
    const send = vi.spyOn(documents, 'send');
    await settle(program, code);
    expect(send).not.toHaveBeenCalled();
  });

  it('waits for redemptions that read the code before it: 7 s from then on', async () => {
    const { program, code } = await cappedCode(5, { ...longAgo, cappedSince: at(0) });
    vi.spyOn(Date, 'now').mockReturnValue(now.getTime() + 6970);
    const start = performance.now();
    await expect(settle(program, code)).rejects.toThrow('is counted now');
    expect(performance.now() - start).toBeGreaterThan(28);
  });

  it('of a code does not wait for the redemptions of another code', async () => {
    const { program, code } = await cappedCode(5, longAgo);
    const other = { couponId: code.couponId, codeId: randomUUID(), recordId: '1' };
    await writeTogether([uncountedMarker(program.id, other, now)]);
    await expect(settle(program, code)).rejects.toThrow('is counted now');
  });

  it('is settled when all that was redeemed before it is counted, and then the code is read again', async () => {
    const { program, code } = await cappedCode(5, longAgo);
    await expect(settle(program, code)).rejects.toThrow('is counted now');
    expect((await promotionalCodes.get(program.id, code.id))?.isSettled).toBe(true);
  });

  it('that was replaced meanwhile is not settled', async () => {
    const { program, code } = await cappedCode(5, longAgo);
    const settling = settle(program, { ...code, cappedSince: at(-30_000) });
    await expect(settling).rejects.toBeInstanceOf(ConcurrentModificationError);
    expect((await promotionalCodes.get(program.id, code.id))?.isSettled).toBe(false);
  });

  it.each([
    { of: kind, codeId: 'same' },
    { of: 'COUPON', codeId: 'another' },
  ] as const)('of a $of is not in force while redemptions are not counted: 503 after 8 s', async ({ of, codeId }) => {
    const { program, code } = await cappedCode(5, longAgo);
    const uncounted = { couponId: code.couponId, codeId: codeId === 'same' ? code.id : randomUUID(), recordId: '1' };
    await writeTogether([uncountedMarker(program.id, uncounted, now)]);
    // The clock stands still until the first look, and is 8 s ahead after it.
    let milliseconds = -8000;
    vi.spyOn(performance, 'now').mockImplementation(() => (milliseconds += 8000));
    const settling = untilSettled(program.id, of, { record: code, couponId: code.couponId });
    await expect(settling).rejects.toMatchObject({ status: 503 });
    expect((await promotionalCodes.get(program.id, code.id))?.isSettled).toBe(false);
  });
});
