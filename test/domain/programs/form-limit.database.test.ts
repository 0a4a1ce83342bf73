import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as formLimit from '../../../shared/domain/programs/form-limit.ts';
import { deleteItem, getItem } from '../../../shared/platform/table/items.ts';
import { interrupted } from '../../support/interrupted.ts';

const limit = 5;
beforeEach(() => vi.stubEnv('FORM_LIMIT', String(limit)));
afterEach(() => vi.unstubAllEnvs());

const { countFormRecords, ...each } = formLimit;
const counted: Record<keyof typeof formLimit, typeof formLimit.countForm> = {
  ...each,
  countFormRecords: (email, now) => countFormRecords(email, 1, now),
};

describe.each(Object.entries(counted))('race: %s, of an account', (_name, count) => {
  const begin = () => {
    const email = `${randomUUID()}@example.com`;
    const key = { pk: `FORMS#${email}`, sk: 'COUNTS' };
    const at = (time: string) => () => count(email, new Date(`2026-03-01T${time}.000Z`));
    return { key, at };
  };

  it('whose counts expire meanwhile begins them anew', async () => {
    const { key, at } = begin();
    await at('12:00:32')();
    const before = await getItem('traffic', key);
    await interrupted(at('12:00:32'), () => deleteItem('traffic', key));
    // As after the first: what expired does not come back.
    expect(before).toBeDefined();
    expect(await getItem('traffic', key)).toEqual(before);
  });

  it('whose counts expire while it begins a minute after silence begins them anew', async () => {
    const { key, at } = begin();
    await at('11:50:02')();
    await interrupted(at('12:00:02'), () => deleteItem('traffic', key));
    expect(await getItem('traffic', key)).toMatchObject({ pk: key.pk, counts: expect.anything() });
  });

  it.each([
    { when: 'the first of all', earlier: [] },
    { when: 'the first after minutes of silence', earlier: ['11:50:02'] },
  ])('that two requests begin at once, $when, counts both', async ({ earlier }) => {
    const { key, at } = begin();
    for (const time of earlier) await at(time)();
    await interrupted(at('12:00:02'), at('12:00:02'));
    const { counts } = (await getItem('traffic', key)) ?? {};
    const ofMinute = Object.entries(counts as Record<string, Record<string, number>>).flatMap(([, counters]) =>
      Object.values(counters),
    );
    expect(ofMinute.reduce((sum, count) => sum + count, 0)).toBe(2);
  });

  it('whose minute a function clears away whose clock is ahead counts all the same', async () => {
    const { at } = begin();
    await at('12:00:02')();
    await at('12:01:01')();
    // The slice of 12:00:02 has expired, and is removed with this request or by the one that overtakes it.
    await expect(interrupted(at('12:01:10'), at('12:02:01'))).resolves.toBeUndefined();
  });
});
