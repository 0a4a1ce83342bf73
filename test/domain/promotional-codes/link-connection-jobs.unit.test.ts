import { describe, expect, it } from 'vitest';
import { connectionJobsOf } from '../../../shared/domain/promotional-codes/link-connection-jobs.ts';

interface Change {
  before?: object | undefined;
  after?: object | undefined;
}

const jobs = (kind: string, { before, after }: Change) =>
  connectionJobsOf({
    programId: 'p',
    kind,
    recordId: 'r',
    before: before && { ...before },
    after: after && { ...after },
    noticedAt: new Date(0),
  });

const ofA = { affiliateId: 'a', code: 'SPRING' };
const ofB = { affiliateId: 'b', code: 'SPRING' };
const ofNobody = { affiliateId: null, code: 'SPRING' };

describe('the work for codes on links', () => {
  it.each<Change & { is: string; job: object | undefined }>([
    { is: 'created', after: ofA, job: { linkId: 'r' } },
    {
      is: 'renamed',
      before: { ...ofA, link: 'a' },
      after: { ...ofA, link: 'b' },
      job: { linkId: 'r', affiliateId: 'a' },
    },
    { is: 'given another page', before: { ...ofA, link: 'a' }, after: { ...ofA, link: 'A', page: 1 }, job: undefined },
    { is: 'deleted', before: ofA, job: { linkId: 'r', affiliateId: 'a', deleted: true } },
    { is: 'deleted, of nobody', before: {}, job: undefined },
  ])('of a link that is $is', ({ before, after, job }) =>
    expect(jobs('LINK', { before, after })).toEqual(job ? [{ programId: 'p', ...job }] : []),
  );

  it.each<Change & { is: string; job: object | undefined }>([
    { is: 'created with an affiliate', after: ofA, job: { codeId: 'r' } },
    { is: 'created without one', after: ofNobody, job: undefined },
    { is: 'created without the field', after: { code: 'SPRING' }, job: undefined },
    { is: 'given an affiliate', before: ofNobody, after: ofA, job: { codeId: 'r' } },
    { is: 'given another one', before: ofA, after: ofB, job: { codeId: 'r' } },
    { is: 'renamed', before: ofA, after: { ...ofA, code: 'SUMMER' }, job: { codeId: 'r' } },
    { is: 'renamed without an affiliate', before: ofNobody, after: { ...ofNobody, code: 'SUMMER' }, job: undefined },
    { is: 'changed otherwise', before: ofA, after: { ...ofA, active: false }, job: undefined },
    { is: 'deleted', before: ofA, job: { codeId: 'r', affiliateId: 'a', deleted: true } },
    { is: 'deleted without an affiliate', before: ofNobody, job: undefined },
  ])('of a code that is $is', ({ before, after, job }) =>
    expect(jobs('PROMOTIONAL_CODE', { before, after })).toEqual(job ? [{ programId: 'p', ...job }] : []),
  );

  it.each<Change & { is: string; job: object | undefined }>([
    { is: 'created', after: { status: 'ACTIVE' }, job: undefined },
    { is: 'changed', before: { status: 'ACTIVE' }, after: { status: 'ACTIVE', name: 'A' }, job: undefined },
    { is: 'banned', before: { status: 'ACTIVE' }, after: { status: 'BANNED' }, job: { affiliateId: 'r' } },
    { is: 'active again', before: { status: 'BANNED' }, after: { status: 'ACTIVE' }, job: { affiliateId: 'r' } },
    { is: 'banned and changed', before: { status: 'BANNED' }, after: { status: 'BANNED', name: 'A' }, job: undefined },
    { is: 'deleted', before: { status: 'ACTIVE' }, job: { affiliateId: 'r' } },
  ])('of an affiliate who is $is', ({ before, after, job }) =>
    expect(jobs('AFFILIATE', { before, after })).toEqual(job ? [{ programId: 'p', ...job }] : []),
  );

  it('is none for other records', () => {
    for (const kind of ['COUPON', 'SALE', 'REFERRAL']) expect(jobs(kind, { after: ofA })).toEqual([]);
  });
});
