import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { finishDeletion } from '../../shared/domain/deletions/finish-deletion.ts';
import { purgeSteps } from '../../shared/domain/deletions/purge-program.ts';
import { createApiKey } from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { allApiKeys } from '../../shared/domain/programs/repository.ts';
import { adjustments } from '../../shared/domain/sales/adjustments.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { deployedName, documents } from '../../shared/platform/table/client.ts';
import { deleteItem, updateItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { expireFeed } from '../../shared/webhooks/feed/log.ts';
import { eventCounts, eventually } from '../support/events.ts';
import { inTurn } from '../support/in-turn.ts';
import { apiWith, makeProgram } from '../support/program.ts';
import { makeStoredAdjustment, makeStoredSale, storeAll, storeQuietSales, unnoticed } from '../support/sales.ts';
import { makeStoredLink } from '../support/stored-records.ts';
import { everythingOf, makeWorld } from './every-operation.ts';

/** The keys of all items of a program in the records table. */
const keysOf = async (programId: string): Promise<string[]> => {
  const keys: string[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const response = await documents.send(
      new ScanCommand({
        TableName: deployedName('records'),
        FilterExpression: 'begins_with(pk, :program)',
        ExpressionAttributeValues: { ':program': `PROGRAM#${programId}#` },
        ProjectionExpression: 'pk, sk',
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    );
    keys.push(...(response.Items ?? []).map(({ pk, sk }) => `${pk} ${sk}`));
    ExclusiveStartKey = response.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return keys;
};

it('leaves nothing in the table, sends nothing for what goes with it, and touches no other program', async () => {
  const [{ api, coupon, code, affiliate }, other] = await Promise.all([makeWorld(), makeWorld()]);
  const rule = { enabled: true, codeStructure: { firstName: true } };
  expect((await api.post('/coupons', { name: 'Each', percentOff: 5, autoCouponRule: rule })).status).toBe(200);
  expect((await api.post('/sales', { totalEarned: 50, referralId: affiliate.id })).status).toBe(200);
  const batch = await api.post('/payout-batches', {});
  await eventually(
    'a batch that is ready',
    async () => (await api.get(`/payout-batches?id=${batch.body.id}`)).body.status === 'READY',
  );
  await storeAll(unnoticed(adjustments.createWrites(api.programId, makeStoredAdjustment(affiliate.id, -5))));
  expect((await api.delete('/promotional-codes', { promotionalCodeId: code.id })).status).toBe(200);
  await connectorToken(api.programId, 'platform.example', new Date());
  const kinds = new Set((await keysOf(api.programId)).map((key) => key.split(/[# ]/)[2]));
  for (const kind of ['WEBHOOK', 'LINK_CODE', 'PAYOUT', 'ADJUSTMENT', 'TOMBSTONE', 'API_KEY', 'SALE', 'PROGRAM'])
    expect(kinds).toContain(kind);
  const untouched = await everythingOf(other.api);
  const before = await keysOf(other.api.programId);

  await deleteProgram(api.programId);
  expect((await api.get(`/coupons?id=${coupon.id}`)).body).toEqual({ error: 'Affiliate program not found' });
  // Cheaper than to look through the whole table again and again: keys and their names are what goes last.
  await eventually('no key left', async () => (await allApiKeys(api.programId)).length === 0);
  await eventually('an empty table', async () => (await keysOf(api.programId)).length === 0);
  const events = await eventCounts(api.programId);
  for (const type of ['affiliate.deleted', 'coupon.deleted', 'sale.deleted', 'link.deleted', 'payout_batch.deleted'])
    expect(events[type]).toBeUndefined();
  expect((await api.get('/program')).body).toEqual({ error: 'Affiliate program not found' });
  expect(await everythingOf(other.api)).toEqual(untouched);
  expect(await keysOf(other.api.programId)).toEqual(before);
});

it('is purged a part a message, and to the end after the worker or the command that deleted it died', async () => {
  const api = await makeProgram();
  const { programId } = api;
  await storeQuietSales(
    programId,
    Array.from({ length: 250 }, () => makeStoredSale('', { affiliateId: null })),
  );
  // Not by deleteProgram, whose deletion the stack's own worker would notice and purge.
  const key = { pk: partition(programId, 'PROGRAM'), sk: programId };
  await updateItem('records', key, { UpdateExpression: 'REMOVE #kind', ExpressionAttributeNames: { '#kind': 'kind' } });
  await deleteItem('records', key);
  type Message = Parameters<typeof finishDeletion>[0];
  const work = async (message: Message): Promise<(Message & { delaySeconds?: number | undefined })[]> => {
    const sent: (Message & { delaySeconds?: number | undefined })[] = [];
    const send = async (next: Message, delaySeconds?: number) => void sent.push({ ...next, delaySeconds });
    await finishDeletion(message, { send, now: () => new Date(), webhooks, expireFeed });
    const [next] = sent;
    if (next && next.delaySeconds === undefined) sent.push(...(await work(next)));
    return sent;
  };
  const first: Message = { programId, kind: 'PROGRAM', id: programId, step: 0, isSweep: false };
  const realSend = documents.send.bind(documents);
  let deletions = 0;
  vi.spyOn(documents, 'send').mockImplementation(((command: Parameters<typeof realSend>[0]) => {
    if (command.constructor.name === 'DeleteCommand') deletions += 1;
    return deletions > 100 ? Promise.reject(new Error('killed')) : realSend(command);
  }) as typeof documents.send);
  await expect(work(first)).rejects.toThrow('killed');
  vi.restoreAllMocks();
  // The command died before it came to the tokens: the worker ends access too.
  expect((await api.get('/program')).body).toEqual({ error: 'Affiliate program not found' });
  expect((await sales.page(programId, { limit: 1 })).items).toHaveLength(1);
  const [sent] = await Promise.all([work(first), work(first)]);
  expect(sent.at(-1)).toMatchObject({ isSweep: true, delaySeconds: 40 });
  expect(await keysOf(programId)).toEqual([]);
});

describe('what concerns many items is done side by side, ten at a time', () => {
  /** Runs an action; returns how many commands of a name were under way at the same time, at most. */
  const maxAtOnce = async (name: string, action: () => Promise<unknown>): Promise<number> => {
    const send = documents.send.bind(documents);
    let underWay = 0;
    let most = 0;
    const spy = vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
      if (command.constructor.name !== name) return send(command);
      underWay += 1;
      most = Math.max(most, underWay);
      return send(command).finally(() => {
        underWay -= 1;
      });
    }) as typeof documents.send);
    await action();
    spy.mockRestore();
    return most;
  };

  it('where what lies under the records of a kind is purged, a part of much of it a message', async () => {
    const { programId } = await makeProgram();
    const ids = Array.from({ length: 30 }, () => randomUUID());
    const stored = ids.flatMap((id) => links.createWrites(programId, makeStoredLink({ id })).slice(0, 1));
    const codes = ids.flatMap((id) =>
      Array.from({ length: 10 }, () => ({
        Put: {
          TableName: deployedName('records'),
          Item: { pk: partition(programId, 'LINK_CODE', id), sk: randomUUID() },
        },
        refusal: () => new Error('unconditional'),
      })),
    );
    await storeAll(unnoticed([...stored, ...codes]));
    const deleted = { programId, id: programId };
    const rounds: number[] = [];
    const purge = async () => {
      for (const step of purgeSteps(webhooks, expireFeed)) {
        let round = 1;
        while (await step(deleted, undefined, new Date())) round += 1;
        rounds.push(round);
      }
    };
    expect(await maxAtOnce('QueryCommand', purge)).toBe(10);
    expect(await keysOf(programId)).toEqual([`${partition(programId, 'PROGRAM')} ${programId}`]);
    expect(Math.max(...rounds)).toBeGreaterThan(1);
  });

  it('where a plan is set and where a program is deleted', async () => {
    const { programId, ownerEmail } = await makeProgram();
    const others = await inTurn(Array(25).fill('Another'), (name) => createApiKey(programId, name, new Date()));
    const statuses = async () =>
      new Set(await inTurn(others, async ({ apiKey }) => (await apiWith(apiKey).get('/program')).status));
    expect(await maxAtOnce('UpdateCommand', () => setPlan(ownerEmail, 'FREE'))).toBe(10);
    expect(await statuses()).toEqual(new Set([403]));
    expect(await maxAtOnce('UpdateCommand', () => deleteProgram(programId))).toBe(10);
    expect(await statuses()).toEqual(new Set([404]));
    await eventually('no key left', async () => (await allApiKeys(programId)).length === 0);
  });
});
