import { expect, it } from 'vitest';
import { type Changes, packChanges } from '../../shared/domain/audit/changes.ts';
import { problemsInAudit, type SeenChange } from './audit-check.ts';

const coupon = { kind: 'COUPON', name: 'Spring', timesRedeemed: 0, version: 1 };
const ofCoupon = (before: object | undefined, after: object | undefined): SeenChange => ({
  programId: 'p',
  kind: 'COUPON',
  recordId: 'c',
  before: before && { ...before },
  after: after && { ...after },
});
const entry = (
  action: 'CREATED' | 'UPDATED',
  changes: Changes = { name: { from: null, to: 'Spring' } },
): SeenChange => ({
  programId: 'p',
  kind: 'AUDIT',
  recordId: action,
  before: undefined,
  after: { kind: 'AUDIT', recordId: 'c', action, changes: packChanges(action, changes) },
});
const renamed = { ...coupon, name: 'Summer', version: 2 };
const programDeleted: SeenChange = {
  programId: 'p',
  kind: 'PROGRAM',
  recordId: 'p',
  before: { kind: 'PROGRAM' },
  after: undefined,
};
const [created, updated] = [ofCoupon(undefined, coupon), ofCoupon(coupon, renamed)];

it('an audit log is right with one entry for each change of what is public, and none for what only counts', () => {
  const counted = ofCoupon(renamed, { ...renamed, timesRedeemed: 1 });
  const restored = ofCoupon(renamed, { ...coupon, restoredAt: 'now' });
  expect(problemsInAudit([created, entry('CREATED'), updated, entry('UPDATED'), counted, restored], '')).toEqual([]);
});

it.each([
  { what: 'an entry is missing', changes: [created, entry('CREATED'), updated] },
  { what: 'an entry is there twice', changes: [created, entry('CREATED'), entry('CREATED')] },
  { what: 'an entry has no change', changes: [created, entry('CREATED'), entry('UPDATED')] },
  { what: 'an entry says something else was done', changes: [created, entry('UPDATED')] },
])('is wrong where $what', ({ changes }) => {
  expect(problemsInAudit(changes, '')).not.toEqual([]);
});

it('may lack entries of a deleted program, and has none twice', () => {
  expect(problemsInAudit([created, programDeleted], '')).toEqual([]);
  expect(problemsInAudit([created, entry('CREATED'), entry('CREATED'), programDeleted], '')).not.toEqual([]);
});

it('is wrong with a secret in an entry, long or short', () => {
  const secret = 'whsec_Xk29fPq7LmZ0aRt5';
  const long = { name: { from: null, to: `${'word '.repeat(200)}${secret}` } };
  for (const changes of [{ name: { from: null, to: secret } }, long])
    expect(problemsInAudit([created, entry('CREATED', changes)], secret)).toHaveLength(1);
});
