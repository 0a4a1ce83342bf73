import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { blindUseWrite, usesForRedemption, useWrite } from '../../../shared/domain/uses/counters.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { queryItems } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { newProgram, storeCode, storeCoupon } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

// The first use after an edit of a cap moves uses into or out of the shards.

const kind = 'PROMOTIONAL_CODE';
afterEach(() => vi.restoreAllMocks());

/** A code whose cap was edited since its uses were handed out. */
const editedCode = async (from: number, to: number) => {
  const program = newProgram();
  const before = await storeCode(program, await storeCoupon(program), { maxRedemptions: from });
  const record = { ...before, maxRedemptions: to, isCapEdited: true };
  const take = async () => {
    const uses = await usesForRedemption(program.id, kind, record, true);
    if (!uses) throw new Error('The code has no cap');
    await writeTogether([await useWrite(program.id, kind, { record, couponId: record.couponId, uses })]);
  };
  const shards = async () => {
    const { items } = await queryItems('records', {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :id)',
      ExpressionAttributeValues: { ':pk': partition(program.id, kind, 'USES'), ':id': `${record.id}#` },
    });
    return items.map(({ left, given = 0 }) => ({ left: Number(left), given: Number(given) }));
  };
  return { program, before, take, shards };
};

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

describe('race: an edited cap', () => {
  it('that is raised hands out its new uses once, where two redemptions find them at the same moment', async () => {
    const { take, shards } = await editedCode(2, 20);
    const totals: number[] = [];
    const send = documents.send.bind(documents) as (command: object) => Promise<unknown>;
    // At no moment there are more, which a third redemption could take.
    vi.spyOn(documents, 'send').mockImplementation((async (command: object) => {
      const response = await send(command);
      if (!(command instanceof QueryCommand)) totals.push(sum((await shards()).map(({ left, given }) => left + given)));
      return response;
    }) as typeof documents.send);
    await interrupted(take, take);
    expect(Math.max(...totals)).toBe(20);
    const found = await shards();
    expect(sum(found.map(({ given }) => given))).toBe(2);
    expect(sum(found.map(({ left, given }) => left + given))).toBe(20);
  });

  it('that is lowered takes no use back that was redeemed meanwhile', async () => {
    const { program, before, take, shards } = await editedCode(40, 3);
    // From the first shard, of which all uses are to be taken back.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await interrupted(take, () => writeTogether([blindUseWrite(program.id, kind, before)]));
    const found = await shards();
    expect(Math.min(...found.map(({ left }) => left))).toBeGreaterThanOrEqual(0);
    expect(sum(found.map(({ given }) => given))).toBe(2);
    expect(sum(found.map(({ left, given }) => left + given))).toBe(3);
  });
});
