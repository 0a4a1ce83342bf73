import { describe, expect, it } from 'vitest';
import type { UsedPermission } from '../../infra/local/iam/usage.ts';
import { declaredNeeds } from '../support/declared-needs.ts';
import { problemsIn } from '../support/permission-check.ts';
import { permissionsOf } from '../support/permissions.ts';

const arnOf = (pattern: string): string => pattern.replaceAll('?', 'A').replaceAll('*', 'x');

/** A use of every permission of every need, as a run of all tests should report it. */
const everyUse: UsedPermission[] = declaredNeeds().flatMap(({ functionName, routes, need }) =>
  permissionsOf(need).map(({ actions, resources, leadingKeys }) => ({
    functionName,
    action: actions[0] ?? '',
    resource: arnOf(resources[0] ?? ''),
    statement: 0,
    count: 1,
    ...(routes?.[0] && { route: routes[0] }),
    ...(leadingKeys?.[0] && { leadingKeyPattern: leadingKeys[0] }),
  })),
);

/** The use of PutItem by which `POST /sales` creates a sale. */
const creation = (() => {
  const found = everyUse.find(
    ({ functionName, action, leadingKeyPattern }) =>
      functionName === 'sales' && action === 'dynamodb:PutItem' && leadingKeyPattern?.endsWith('#SALE'),
  );
  if (!found) throw new Error('POST /sales creates no sale');
  return found;
})();

describe('the check at the end of a test run', () => {
  it('finds nothing where all needs were used and no call was refused', () => {
    expect(problemsIn({ used: everyUse, refused: [] }, true)).toEqual([]);
  });

  it('names each need that no test uses, but only after a run of all tests', () => {
    const used = everyUse.filter(({ functionName }) => functionName !== 'program');
    const unused = ['PROGRAM:read', 'access:check'].map(
      (need) => `readProgram has the need ${need}, which no test uses`,
    );
    expect(problemsIn({ used, refused: [] }, true)).toEqual(unused);
    expect(problemsIn({ used, refused: [] }, false)).toEqual([]);
  });

  it('names each call that was refused, unless a test withdrew the permission', () => {
    const refused = { functionName: 'sales', action: 'dynamodb:PutItem', resource: 'table', count: 2 };
    const lines = problemsIn({ used: [], refused: [refused] }, false);
    expect(lines).toEqual(['sales lacks a need: dynamodb:PutItem on table was refused 2 times']);
    expect(problemsIn({ used: [], refused: [{ ...refused, withdrawal: 'sales SALE:create' }] }, false)).toEqual([]);
  });

  it('names what an operation uses that only another operation of its function needs', () => {
    const problemsOn = (route: string) => problemsIn({ used: [{ ...creation, route }], refused: [] }, false);
    expect(problemsOn('POST /api/v1/sales')).toEqual([]);
    expect(problemsOn('DELETE /api/v1/sales')).toEqual([
      expect.stringContaining('DELETE /api/v1/sales lacks a need: dynamodb:PutItem'),
    ]);
  });

  it('where conflicts are injected, allows the read after one, and still counts every read as a use', () => {
    const leadingKeyPattern = creation.leadingKeyPattern?.replace('#SALE', '#COUPON') ?? '';
    const read = { ...creation, action: 'dynamodb:GetItem', leadingKeyPattern };
    const used = [...everyUse, { ...read, route: 'DELETE /api/v1/sales' }];
    const refused = [{ functionName: 'sales', action: 'dynamodb:GetItem', resource: 'table', count: 1 }];
    expect(problemsIn({ used, refused }, true, true)).toEqual([]);
    expect(problemsIn({ used, refused }, true)).toHaveLength(2);
  });
});
