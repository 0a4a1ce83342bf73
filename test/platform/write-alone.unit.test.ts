import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { updateAlone, type Write, writeInTurn } from '../../shared/platform/table/transaction.ts';
import { createAlone, writeAlone } from '../../shared/platform/table/write-alone.ts';
import { named, stubbedSend } from '../support/stubbed-table.ts';

class Refused extends Error {}
const refusal = () => new Refused();
const key = { pk: 'a', sk: 'b' };
const put: Write = {
  Put: { TableName: 'records', Item: key, ConditionExpression: 'attribute_not_exists(pk)' },
  refusal,
};
const update: Write = { Update: { TableName: 'records', Key: key, UpdateExpression: 'SET a = :a' }, refusal };
const remove: Write = { Delete: { TableName: 'records', Key: key }, refusal };
const check: Write = { ConditionCheck: { TableName: 'records', Key: key, ConditionExpression: 'a = b' }, refusal };
const emptyUpdate: Write = { Update: { TableName: 'records', Key: key, UpdateExpression: undefined }, refusal };

const conditionFailed = (Item?: Record<string, { S: string }>) =>
  new ConditionalCheckFailedException({ $metadata: {}, message: 'no', ...(Item && { Item }) });
const throttled = named('ThrottlingException');
const invalid = named('ValidationException');

const sentBy = (send: ReturnType<typeof stubbedSend>): string[] =>
  send.mock.calls.map(([command]) => command.constructor.name);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('one write without a transaction', () => {
  it.each<[string, Write, object]>([
    ['PutCommand', put, Object(put.Put)],
    ['UpdateCommand', update, Object(update.Update)],
  ])('is a %s with its condition, tried again after throttling', async (name, write, input) => {
    const send = stubbedSend(throttled, 'written');
    expect(await writeAlone([write])).toBe(true);
    expect(sentBy(send)).toEqual([name, name]);
    expect(send.mock.calls[1]?.[0].input).toEqual(input);
  });

  it('is false if its condition did not hold, and fails if anything else did', async () => {
    const send = stubbedSend(conditionFailed(), invalid);
    expect(await writeAlone([put])).toBe(false);
    await expect(writeAlone([put])).rejects.toBe(invalid);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it.each<[string, Write[]]>([
    ['Several writes need a transaction', []],
    ['Several writes need a transaction', [put, put]],
    ['Only a put and an update can be written alone', [remove]],
    ['Only a put and an update can be written alone', [check]],
    ['Only a put and an update can be written alone', [emptyUpdate]],
  ])('refuses with "%s" what is not one', async (message, writes) => {
    const send = stubbedSend();
    await expect(writeAlone(writes)).rejects.toThrow(message);
    expect(send).not.toHaveBeenCalled();
  });
});

describe('one creation without a transaction', () => {
  it('asks for the item that may be there, and is undefined if there was none', async () => {
    const send = stubbedSend(throttled, 'written');
    expect(await createAlone([put])).toBeUndefined();
    expect(sentBy(send)).toEqual(['PutCommand', 'PutCommand']);
    expect(send.mock.calls[0]?.[0].input).toEqual({ ...put.Put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
  });

  it('returns the item that was there, however little is known of it', async () => {
    stubbedSend(conditionFailed({ name: { S: 'Zoë' } }), conditionFailed(), invalid);
    expect(await createAlone([put])).toEqual({ name: 'Zoë' });
    expect(await createAlone([put])).toEqual({});
    await expect(createAlone([put])).rejects.toBe(invalid);
  });

  it.each([[[]], [[put, put]], [[update]], [[remove]]])('refuses what is not one put: %j', async (writes) => {
    const send = stubbedSend();
    await expect(createAlone(writes)).rejects.toThrow('Only one put is created alone');
    expect(send).not.toHaveBeenCalled();
  });
});

describe('one update without a transaction', () => {
  it('is tried again after throttling, and throws its refusal if its condition did not hold', async () => {
    const send = stubbedSend(throttled, 'written', conditionFailed(), invalid);
    await updateAlone(update);
    expect(sentBy(send)).toEqual(['UpdateCommand', 'UpdateCommand']);
    expect(send.mock.calls[0]?.[0].input).toEqual(update.Update);
    await expect(updateAlone(update)).rejects.toBeInstanceOf(Refused);
    await expect(updateAlone(update)).rejects.toBe(invalid);
  });

  it.each([put, remove, emptyUpdate])('refuses what is none: %j', async (write) => {
    const send = stubbedSend();
    await expect(updateAlone(write)).rejects.toThrow('Only an update is made alone');
    expect(send).not.toHaveBeenCalled();
  });
});

describe('writes in turn', () => {
  it('are sent one after the other as they are, and tried again after throttling', async () => {
    const send = stubbedSend(throttled);
    await writeInTurn([remove, put, remove]);
    expect(sentBy(send)).toEqual(['DeleteCommand', 'DeleteCommand', 'PutCommand', 'DeleteCommand']);
    expect(send.mock.calls.map(([{ input }]) => input)).toEqual([remove.Delete, remove.Delete, put.Put, remove.Delete]);
  });

  it('go on where a condition did not hold, since a run before this one wrote that; the last one is refused', async () => {
    const send = stubbedSend(conditionFailed(), conditionFailed(), 'written');
    await writeInTurn([put, remove, remove]);
    expect(send).toHaveBeenCalledTimes(3);
    stubbedSend('written', conditionFailed());
    await expect(writeInTurn([put, remove])).rejects.toBeInstanceOf(Refused);
  });

  it('end with the first failure', async () => {
    const send = stubbedSend(invalid);
    await expect(writeInTurn([put, remove])).rejects.toBe(invalid);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it.each([update, check])('refuse what is no deletion and no put: %j', async (write) => {
    const send = stubbedSend();
    await expect(writeInTurn([write])).rejects.toThrow('Only deletions and puts are made in turn');
    expect(send).not.toHaveBeenCalled();
  });
});
