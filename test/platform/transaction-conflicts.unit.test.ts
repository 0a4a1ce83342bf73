import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Write, withoutReads, writeTogether } from '../../shared/platform/table/transaction.ts';
import { cancelled, named, stubbedSend } from '../support/stubbed-table.ts';

const key = { pk: 'a', sk: 'taken' };
const refusal = (item: unknown) => Object.assign(new Error('refused'), { item });
const other: Write = { Delete: { TableName: 'records', Key: { pk: 'a', sk: 'b' } }, refusal };
const claim: Write = {
  Put: { TableName: 'records', Item: { ...key, id: '1' }, ConditionExpression: 'attribute_not_exists(pk)' },
  refusal,
  readAfterConflict: true,
};
const conflictOnSecond = () => cancelled('None', 'TransactionConflict');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const commandsOf = (send: ReturnType<typeof stubbedSend>) =>
  send.mock.calls.map(
    ([
      {
        constructor: { name },
      },
    ]) => name.replace('Command', ''),
  );

/** The outcome of a transaction whose waits pass at once. */
const run = async (writes: readonly Write[], deadline?: Parameters<typeof writeTogether>[1]) => {
  const outcome = writeTogether(writes, deadline).then(
    () => 'written',
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  return outcome;
};

describe('after a conflict over a new item', () => {
  it('that item is read consistently by its key, and what is there refuses the transaction', async () => {
    const Item = { ...key, id: 'of another' };
    const send = stubbedSend(conflictOnSecond(), { Item });
    expect(await run([other, claim])).toMatchObject({ message: 'refused', item: Item });
    expect(commandsOf(send)).toEqual(['TransactWrite', 'Get']);
    expect(send.mock.calls[1]?.[0].input).toEqual({ TableName: 'records', Key: key, ConsistentRead: true });
  });

  it.each([
    ['is not there', {}],
    ['cannot be read', named('AccessDeniedException')],
  ])('the transaction is tried again if the item %s', async (_, response) => {
    const send = stubbedSend(conflictOnSecond(), response);
    expect(await run([other, claim])).toBe('written');
    expect(commandsOf(send)).toEqual(['TransactWrite', 'Get', 'TransactWrite']);
  });

  it.each<[string, Error, Write[]]>([
    ['was over another item', cancelled('TransactionConflict', 'None'), [other, claim]],
    ['names no item', named('TransactionConflictException'), [other, claim]],
    ['was over an item that is changed', conflictOnSecond(), [claim, { ...other, readAfterConflict: true }]],
    ['comes to a function that may not read', conflictOnSecond(), withoutReads([claim, claim])],
  ])('nothing is read if it %s', async (_, conflict, writes) => {
    const send = stubbedSend(conflict);
    expect(await run(writes)).toBe('written');
    expect(commandsOf(send)).toEqual(['TransactWrite', 'TransactWrite']);
  });
});

it('a function that may not read writes the same', () =>
  expect(withoutReads([claim, other])).toEqual([
    { ...claim, readAfterConflict: false },
    { ...other, readAfterConflict: false },
  ]));

it('a refusal gets the item that its condition did not allow', async () => {
  const error = cancelled('None', 'ConditionalCheckFailed');
  Object.assign(error.CancellationReasons?.[1] ?? {}, { Item: marshall(key) });
  stubbedSend(error);
  expect(await run([other, claim])).toMatchObject({ item: key });
});

describe('a transaction with a deadline', () => {
  const deadlineIn = (milliseconds: number) => ({
    at: performance.now() + milliseconds,
    refusal: () => new Error('too late'),
  });

  it.each([
    [1, 'written', 1],
    [0, expect.objectContaining({ message: 'too late' }), 0],
    [-1, expect.objectContaining({ message: 'too late' }), 0],
  ])('in %i ms is %s', async (milliseconds, outcome, calls) => {
    const send = stubbedSend();
    expect(await run([other], deadlineIn(milliseconds))).toEqual(outcome);
    expect(send).toHaveBeenCalledTimes(calls);
  });

  it('is not tried again after it', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const conflict = cancelled('TransactionConflict');
    const send = stubbedSend(conflict, conflict, conflict);
    // After waits of 25 and 50 ms.
    expect(await run([other], deadlineIn(75))).toMatchObject({ message: 'too late' });
    expect(send).toHaveBeenCalledTimes(2);
  });
});
