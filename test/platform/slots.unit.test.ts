import { expect, it, vi } from 'vitest';
import { slotOf, withFreeSlot } from '../../shared/platform/table/slots.ts';

const whenFull = () => new Error('full');
/** A store in which these slots are taken; each read sees the next ones. */
const storeWith = (...taken: number[][]) => ({
  valuesBeginningWith: vi.fn(async () =>
    (taken.length > 1 ? (taken.shift() ?? []) : (taken[0] ?? [])).map((slot) => ({ value: String(slot) })),
  ),
});
const taken = async (slot: number) => {
  throw slotOf(slot).refusal();
};

it.each([
  [{ count: 3 }, [0, 2], 1],
  [{ count: 3 }, [0, 1], 2],
  [{ count: 1 }, [], 0],
  [{ first: 5, count: 2, all: 7 }, [0, 1, 5], 6],
])('of the slots %j, with %j taken, %i is free', async (slots, others, free) => {
  const store = storeWith(others);
  const write = vi.fn(async (slot: number) => `in ${slot}`);
  expect(await withFreeSlot(store, 'program', { ...slots, whenFull }, write)).toBe(`in ${free}`);
  expect(write.mock.calls).toEqual([[free]]);
  const count = 'all' in slots ? slots.all : slots.count;
  expect(store.valuesBeginningWith.mock.calls).toEqual([['program', 'SLOT', '', { count }]]);
});

it('any free slot may be taken, so that concurrent requests do not all want the first', async () => {
  const slots = new Set<number>();
  for (let round = 0; round < 200; round++)
    await withFreeSlot(storeWith([1]), 'program', { count: 4, whenFull }, async (slot) => slots.add(slot));
  expect([...slots].toSorted()).toEqual([0, 2, 3]);
});

it('where all are taken nothing is written', async () => {
  const write = vi.fn(taken);
  const store = storeWith([0, 1]);
  await expect(withFreeSlot(store, 'program', { count: 2, whenFull }, write)).rejects.toThrow('full');
  expect(write).not.toHaveBeenCalled();
  expect(store.valuesBeginningWith).toHaveBeenCalledTimes(1);
});

it('a slot that another request takes at the same moment is no failure while there are others', async () => {
  const write = vi.fn(async (slot: number) => (write.mock.calls.length < 3 ? taken(slot) : slot));
  expect(await withFreeSlot(storeWith([0, 1], [0, 2], [0]), 'program', { count: 3, whenFull }, write)).not.toBe(0);
});

it('is full for who loses every slot, after as many attempts as there are slots', async () => {
  const write = vi.fn(taken);
  await expect(withFreeSlot(storeWith([]), 'program', { count: 3, whenFull }, write)).rejects.toThrow('full');
  expect(write).toHaveBeenCalledTimes(3);
});

it('another failure is thrown at once', async () => {
  const write = vi.fn().mockRejectedValue(new Error('other'));
  await expect(withFreeSlot(storeWith([]), 'program', { count: 3, whenFull }, write)).rejects.toThrow('other');
  expect(write).toHaveBeenCalledTimes(1);
});
