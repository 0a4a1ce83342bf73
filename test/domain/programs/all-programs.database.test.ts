import { readFileSync } from 'node:fs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  forEveryProgram,
  listAllPrograms,
  listProgram,
  pageOfPrograms,
} from '../../../shared/domain/programs/all-programs.ts';
import { createProgram, deleteProgram } from '../../../shared/domain/programs/programs.ts';
import { getProgram } from '../../../shared/domain/programs/repository.ts';
import { getItem, type ItemKey, putItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { newRecordId, recordIdEdges } from '../../../shared/platform/table/record-id.ts';

/** A time of its own for each test, after the programs of all others: the database is shared. */
let lastTime = Date.UTC(2090, 0, 1) + Math.floor(Math.random() * 3e11);
const createPrograms = async (count: number) => {
  const start = lastTime + 1;
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    lastTime += 1;
    const ownerEmail = `owner-of-many-${at % 5}-${start}@example.com`;
    ids.push((await createProgram({ name: `Shop ${at}`, ownerEmail }, new Date(lastTime))).programId);
  }
  return { ids, before: recordIdEdges.lowest(start) };
};

/** All from a position on, in pages of two. */
const rest = async (after: string | undefined): Promise<string[]> => {
  const found: string[] = [];
  let position = after;
  do {
    const { ids, next } = await pageOfPrograms(position, 2);
    expect(ids.length).toBeLessThanOrEqual(2);
    found.push(...ids);
    position = next;
  } while (position !== undefined);
  return found;
};

describe('the list of all programs', () => {
  it('has each of them once, oldest first, in pages', async () => {
    const { ids, before } = await createPrograms(5);
    const found = (await rest(before)).filter((id) => ids.includes(id));
    expect(found).toEqual(ids);
    expect((await pageOfPrograms(before, 2)).ids).toEqual(ids.slice(0, 2));
  });

  it('skips none while others come and go, not even after one that is deleted', async () => {
    const { ids, before } = await createPrograms(5);
    const first = await pageOfPrograms(before, 2);
    expect(first.ids).toEqual(ids.slice(0, 2));
    // The program where the next page begins, one behind it, and one that is still to come.
    await deleteProgram(ids[1] ?? '');
    await deleteProgram(ids[3] ?? '');
    const later = await createPrograms(1);
    const found = await rest(first.next);
    expect(found).toEqual(expect.arrayContaining([ids[2], ids[4], later.ids[0]]));
    expect(found).not.toContain(ids[3]);
  });
});

describe('acting on every program', () => {
  /** Runs messages until none is left, one page each, as the queue would. */
  const workThrough = async (act: (programId: string) => Promise<void>, after: string | undefined, limit = 2) => {
    const messages: ({ after: string } | { programId: string })[] = after === undefined ? [] : [{ after }];
    let handled = 0;
    for (let message = messages.shift(); message; message = messages.shift()) {
      handled += 1;
      let clock = 0;
      const run = { after: undefined, programId: undefined, ...message };
      const leave = async (left: { after: string } | { programId: string }) => void messages.push(left);
      await forEveryProgram({ ...run, leave }, act, { limit, now: () => (clock += 20_000) });
    }
    return handled;
  };

  it('goes on message by message, each of them bounded', async () => {
    const { ids, before } = await createPrograms(6);
    const acted: string[] = [];
    const handled = await workThrough(async (id) => void acted.push(id), before);
    expect(acted.filter((id) => ids.includes(id)).toSorted()).toEqual(ids);
    expect(handled).toBeGreaterThanOrEqual(3);
  });

  it('leaves a program that fails to a message of its own, and holds up no other', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { ids, before } = await createPrograms(5);
    const attempts: string[] = [];
    await workThrough(async (id) => {
      attempts.push(id);
      if (id === ids[1] && attempts.filter((one) => one === id).length === 1) throw new Error('not yet');
    }, before);
    const ofThese = attempts.filter((id) => ids.includes(id));
    expect(ofThese.toSorted()).toEqual([...ids, ids[1]].toSorted());
  });

  it('fails with a program that fails again, so that its message comes back', async () => {
    const act = async () => {
      throw new Error('broken');
    };
    const leave = vi.fn();
    await expect(forEveryProgram({ after: undefined, programId: 'p', leave }, act)).rejects.toThrow('broken');
    expect(leave).not.toHaveBeenCalled();
  });

  it('fails as a whole where nothing can be left for later: the same page comes back', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { before } = await createPrograms(1);
    const act = async () => {
      throw new Error('broken');
    };
    const leave = async () => {
      throw new Error('no queue');
    };
    await expect(forEveryProgram({ after: before, programId: undefined, leave }, act)).rejects.toThrow('no queue');
  });
});

/** As earlier versions have stored them: none has an entry in the list. */
const frozen = z
  .array(z.record(z.string(), z.any()))
  .parse(JSON.parse(readFileSync(new URL('../../stored/items/PROGRAM.json', import.meta.url), 'utf8')))
  .map((item) => unmarshall(item))
  .filter((item) => !('gsi1pk' in item));

describe('a program of an earlier version', () => {
  const storeFrozen = async (): Promise<string[]> => {
    const ids: string[] = [];
    for (const item of frozen) {
      lastTime += 1;
      const id = newRecordId(new Date(lastTime));
      await putItem('records', { ...item, id, pk: partition(id, 'PROGRAM'), sk: id });
      ids.push(id);
    }
    return ids;
  };

  it('is found once it was listed, and is otherwise as it was', async () => {
    expect(frozen.length).toBeGreaterThan(2);
    const before = recordIdEdges.lowest(lastTime + 1);
    const ids = await storeFrozen();
    const stored = () => Promise.all(ids.map((id) => getProgram(id)));
    const programsBefore = await stored();
    expect((await rest(before)).filter((id) => ids.includes(id))).toEqual([]);
    expect((await listAllPrograms()).listed).toBeGreaterThanOrEqual(ids.length);
    expect((await rest(before)).filter((id) => ids.includes(id))).toEqual(ids);
    expect(await stored()).toEqual(programsBefore);
    expect(await listAllPrograms()).toEqual({ listed: 0 });
  });

  it('that was deleted meanwhile is not brought back', async () => {
    const id = newRecordId(new Date());
    expect(await listProgram(id)).toBe(false);
    const key: ItemKey = { pk: partition(id, 'PROGRAM'), sk: id };
    expect(await getItem('records', key)).toBeUndefined();
  });
});
