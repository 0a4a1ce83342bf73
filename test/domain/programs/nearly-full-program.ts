import { randomUUID } from 'node:crypto';
import { bounds } from '../../../shared/contract/bounds.ts';
import { createCoupon as createCouponOperation } from '../../../shared/contract/coupons.ts';
import { countedKinds, type RecordKind } from '../../../shared/contract/needs.ts';
import { createCoupon } from '../../../shared/domain/coupons/create-coupon.ts';
import { withinPlan } from '../../../shared/domain/programs/record-bound.ts';
import type { StoredProgram } from '../../../shared/domain/programs/repository.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { queryAllItems } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { at, bodyOf, now } from '../../support/domain.ts';
import { storeAll } from '../../support/sales.ts';
import { storeProgram } from '../../support/webhooks.ts';

export const most = bounds.recordsOfFreeProgram;
export const sentence = 'This program is full.';
export const minute = 60_000;

/** Fills a program with items that count as sales. They have no more than a key: most would be stored for nothing. */
export const fill = (program: Pick<StoredProgram, 'id'>, count: number): Promise<void> =>
  storeAll(
    Array.from({ length: count }, () => ({
      Put: {
        TableName: deployedName('records'),
        Item: { pk: partition(program.id, 'SALE'), sk: randomUUID() },
      },
      refusal: () => new Error('unconditional'),
    })),
  );

/** A program with so many records, in which nothing was counted yet. */
export const programWith = async (count: number, plan: 'FREE' | 'BUSINESS' = 'FREE'): Promise<StoredProgram> => {
  const program = await storeProgram(plan);
  await fill(program, count);
  return program;
};

export type Program = Pick<StoredProgram, 'id' | 'plan'>;

export const within = <Result>(program: Program, action: () => Promise<Result>, milliseconds = 0): Promise<Result> =>
  withinPlan(program, { now: new Date(at(milliseconds)), sentence }, action);

export const newCoupon = () => bodyOf(createCouponOperation, { name: 'Ten', percentOff: 10, duration: 'once' });
export const addCoupon = (program: Program, milliseconds = 0) =>
  within(program, () => createCoupon(program.id, newCoupon(), now), milliseconds);

export const numbersIn = async (program: Program): Promise<Partial<Record<RecordKind, number>>> => {
  const numbers: Partial<Record<RecordKind, number>> = {};
  for (const kind of countedKinds) {
    const items = await Array.fromAsync(
      queryAllItems('records', {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': partition(program.id, kind) },
      }),
    );
    if (items.length > 0) numbers[kind] = items.length;
  }
  return numbers;
};
export const recordsIn = async (program: Program): Promise<number> =>
  Object.values(await numbersIn(program)).reduce((sum, number) => sum + number, 0);
