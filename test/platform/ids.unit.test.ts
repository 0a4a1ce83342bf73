import { version } from 'uuid';
import { describe, expect, it } from 'vitest';
import { derivedId } from '../../shared/platform/table/derived-id.ts';
import { newRecordId, recordIdEdges } from '../../shared/platform/table/record-id.ts';

const time = new Date('2026-03-01T12:00:00.000Z');
const milliseconds = time.getTime();

const timeOf = (id: string): number => Number.parseInt(id.slice(0, 13).replace('-', ''), 16);

describe.each([
  ['random', (at: Date) => newRecordId(at)],
  ['derived', (at: Date) => derivedId(at, 'a', 'b')],
])('a %s id', (_, idOf) => {
  it('is a UUIDv7 of its time', () => {
    expect(idOf(time)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(version(idOf(time))).toBe(7);
    expect(timeOf(idOf(time))).toBe(milliseconds);
  });

  it('is between the edges of its millisecond', () => {
    const id = idOf(time);
    expect(recordIdEdges.lowest(milliseconds) <= id).toBe(true);
    expect(recordIdEdges.highest(milliseconds) >= id).toBe(true);
    expect(recordIdEdges.highest(milliseconds - 1) < id).toBe(true);
    expect(recordIdEdges.lowest(milliseconds + 1) > id).toBe(true);
  });
});

it('the edges of times before 1970 are those of its first millisecond', () => {
  expect(recordIdEdges.lowest(-1)).toBe('00000000-0000-0000-0000-000000000000');
  expect(recordIdEdges.highest(0)).toBe('00000000-0000-ffff-ffff-ffffffffffff');
});

it('a derived id is the same for the same parts, and another for others', () => {
  const ids = [
    derivedId(time, 'a', 'b'),
    derivedId(time, 'a', 'b'),
    derivedId(time, 'ab'),
    derivedId(time, 'a', 'b', ''),
    derivedId(new Date(milliseconds + 1), 'a', 'b'),
  ];
  expect(ids[1]).toBe(ids[0]);
  expect(new Set(ids).size).toBe(4);
});
