import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditActions } from '../../shared/contract/audit-log.ts';
import { changesBetween, packChanges, unpackChanges } from '../../shared/domain/audit/changes.ts';

const json = fc.jsonValue().filter((value) => value !== null);
const fields = fc.dictionary(
  fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
  json,
);

describe('the changes of an entry', () => {
  it('are the fields that differ, with null where there was or is no value', () => {
    expect(changesBetween({ a: 1, b: [1], c: null }, { a: 2, b: [1], d: 'x' })).toEqual({
      a: { from: 1, to: 2 },
      d: { from: null, to: 'x' },
    });
    expect(changesBetween(undefined, { a: null, b: undefined, c: 0 })).toEqual({ c: { from: null, to: 0 } });
  });

  it.each(auditActions)('of the action %s are read as they were stored, short or long', (action) => {
    fc.assert(
      fc.property(fields, fields, (before, after) => {
        // As JSON keeps them: it has no -0.
        const plain = (value: typeof before) => JSON.parse(JSON.stringify(value));
        const changes = changesBetween(
          action === 'CREATED' ? undefined : plain(before),
          action === 'DELETED' ? undefined : plain(after),
        );
        expect(unpackChanges(action, packChanges(action, changes))).toEqual(changes);
      }),
    );
  });

  it('that are large take little room where the states are alike', () => {
    const words = Array.from({ length: 2000 }, (_, at) => `word-${at}`);
    const changes = changesBetween({ words }, { words: [...words, 'one more'] });
    expect(packChanges('UPDATED', changes).length).toBeLessThan(JSON.stringify(changes).length / 3);
  });
});
