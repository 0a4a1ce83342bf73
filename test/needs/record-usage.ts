import { afterEach, beforeAll, beforeEach, inject } from 'vitest';
import type { UsedPermission } from '../../infra/local/iam/usage.ts';
import { nameOfNeed } from '../support/declared-needs.ts';
import { grantingNeeds, reportPermissions, usesOf } from '../support/permissions.ts';

// A setup file of the run that learns which test uses which needs. Test files must run one after the other.

declare module 'vitest' {
  interface TaskMeta {
    /** The needs used before the test since the one before it, such as by the hooks of its file. */
    usedBefore?: string[];
    /** The needs used during the test, by names such as `createSale SALE:create`. */
    used?: string[];
  }
}

const needs = grantingNeeds();
const namesByPermission = new Map<string, readonly string[]>();
let counts: ReadonlyMap<string, number> = new Map();

const namesOf = (key: string, permission: UsedPermission): readonly string[] => {
  let names = namesByPermission.get(key);
  if (!names) {
    const uses = usesOf(needs, [permission]);
    names = needs.filter((_, at) => uses[at] !== 0).map(nameOfNeed);
    namesByPermission.set(key, names);
  }
  return names;
};

/** The names of the needs that were used since the last call. */
const usedSince = async (): Promise<string[]> => {
  const before = counts;
  const { used } = await reportPermissions(inject('stackEnvironment'));
  const entries = used.map(({ count, ...permission }) => ({ key: JSON.stringify(permission), count, permission }));
  counts = new Map(entries.map(({ key, count }) => [key, count]));
  const names = entries
    .filter(({ key, count }) => count > (before.get(key) ?? 0))
    .flatMap(({ key, count, permission }) => namesOf(key, { ...permission, count }));
  return [...new Set(names)];
};

beforeAll(async () => {
  await usedSince();
});

// Concurrent tests take turns here, so that each use is of the test that runs.
let turnEnds = Promise.resolve();
const endTurn = new Map<string, () => void>();

beforeEach(async ({ task }) => {
  const before = turnEnds;
  const { promise, resolve } = Promise.withResolvers<void>();
  turnEnds = promise;
  endTurn.set(task.id, resolve);
  await before;
  task.meta.usedBefore = await usedSince();
});
afterEach(async ({ task }) => {
  task.meta.used = await usedSince();
  endTurn.get(task.id)?.();
});
