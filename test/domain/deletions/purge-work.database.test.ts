import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AccessToken, tokenKey } from '../../../shared/domain/access/token.ts';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { finishDeletion } from '../../../shared/domain/deletions/finish-deletion.ts';
import { purgeSteps } from '../../../shared/domain/deletions/purge-program.ts';
import { deleteProgram, setPlan } from '../../../shared/domain/programs/programs.ts';
import { allApiKeys, apiKeys } from '../../../shared/domain/programs/repository.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deleteItem, getItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { purgeTools } from '../../support/deletions.ts';
import { newProgram, now } from '../../support/domain.ts';
import { makeStoredSale, storeAll, storeSales } from '../../support/sales.ts';
import { makeStoredLink } from '../../support/stored-records.ts';
import { storeProgram } from '../../support/webhooks.ts';

afterEach(() => vi.restoreAllMocks());

type Message = Parameters<typeof finishDeletion>[0];
type Sent = Message & { delaySeconds?: number | undefined };

/** Works on a message and on all that follow it at once; returns what was sent. */
const work = async (message: Message): Promise<Sent[]> => {
  const sent: Sent[] = [];
  const send = async (next: Message, delaySeconds?: number) => void sent.push({ ...next, delaySeconds });
  await finishDeletion(message, { send, now: () => now, ...purgeTools });
  const [next] = sent;
  if (next && next.delaySeconds === undefined) sent.push(...(await work(next)));
  return sent;
};

it('a purge ends access and comes to its end, after the command that deleted the program died, and a worker, and twice at once', async () => {
  const { id: programId } = await storeProgram();
  await storeSales(
    programId,
    Array.from({ length: 30 }, () => makeStoredSale('', { affiliateId: null })),
  );
  const tokens = async () =>
    Promise.all(keys.map(async ({ tokenHash }) => AccessToken.parse(await getItem('traffic', tokenKey(tokenHash)))));
  const keys = await allApiKeys(programId);
  // As by a command that died before it came to the tokens.
  await deleteItem('records', { pk: partition(programId, 'PROGRAM'), sk: programId });
  const first: Message = { programId, kind: 'PROGRAM', id: programId, step: 0, isSweep: false };
  const realSend = documents.send.bind(documents);
  let deletions = 0;
  vi.spyOn(documents, 'send').mockImplementation(((command: Parameters<typeof realSend>[0]) => {
    if (command.constructor.name === 'DeleteCommand') deletions += 1;
    return deletions > 10 ? Promise.reject(new Error('killed')) : realSend(command);
  }) as typeof documents.send);
  await expect(work(first)).rejects.toThrow('killed');
  vi.restoreAllMocks();
  expect((await tokens()).map(({ programDeleted }) => programDeleted)).toEqual([true]);
  const left = async () => (await sales.page(programId, { limit: 100 })).items.length;
  expect(await left()).toBe(20);
  const [sent] = await Promise.all([work(first), work(first)]);
  expect(sent.at(-1)).toMatchObject({ isSweep: true, delaySeconds: 40 });
  expect(await left()).toBe(0);
  expect(await allApiKeys(programId)).toEqual([]);
});

describe('what concerns many items is done concurrently, ten at a time', () => {
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

  it('where what lies under the records of a kind is purged', async () => {
    const { id: programId } = newProgram();
    const stored = Array.from({ length: 15 }, () => makeStoredLink({ id: randomUUID(), link: randomUUID() }));
    await storeAll(stored.flatMap((link) => links.createWrites(programId, link)));
    const purge = async () => {
      for (const step of purgeSteps(purgeTools)) await step({ programId, id: programId }, undefined, now);
    };
    expect(await maxAtOnce('QueryCommand', purge)).toBe(10);
    expect((await links.page(programId, { limit: 1 })).items).toEqual([]);
  });

  it('where a plan is set and where a program is deleted', async () => {
    const { id: programId, ownerEmail } = await storeProgram();
    const [first] = await allApiKeys(programId);
    if (!first) throw new Error('A new program has a key');
    const keys = Array.from({ length: 14 }, (_, at) => ({
      ...first,
      id: newRecordId(now),
      tokenHash: randomUUID(),
      slot: at + 1,
    }));
    await storeAll(keys.flatMap((key) => apiKeys.createWrites(programId, key)));
    expect(await maxAtOnce('UpdateCommand', () => setPlan(ownerEmail, 'FREE'))).toBe(10);
    expect(await maxAtOnce('UpdateCommand', () => deleteProgram(programId))).toBe(10);
  });
});
