import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { updateReferral as operation } from '../../../shared/contract/referrals.ts';
import { updateReferral } from '../../../shared/domain/referrals/change-referral.ts';
import { findReferral, listReferrals } from '../../../shared/domain/referrals/list-referrals.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import type { StoredReferral } from '../../../shared/domain/referrals/rules.ts';
import {
  at,
  bodyOf,
  expectRefusal,
  newProgram,
  now,
  outcomeOf,
  storeAffiliate,
  storeReferral,
} from '../../support/domain.ts';
import { roundTripsOf } from '../../support/round-trips.ts';
import { makeStoredReferral } from '../../support/stored-records.ts';

type Query = Parameters<typeof listReferrals>[1];
type Request = Parameters<typeof listReferrals>[2];

/** Of one affiliate an active and a declined referral, of another one an active one. */
const setUp = async () => {
  const program = newProgram();
  const [one, other] = [await storeAffiliate(program), await storeAffiliate(program)];
  const email = 'priya@example.com';
  const active = await storeReferral(program, { affiliateId: one.id, email, referredUserExternalId: 'user-1' });
  const declined = await storeReferral(program, { affiliateId: one.id, subscriptionStatus: 'DECLINED' });
  const ofOther = await storeReferral(program, { affiliateId: other.id });
  const idsOf = async (query: Query, request: Partial<Request> = {}) =>
    (await listReferrals(program.id, query, { limit: 10, ...request })).items.map(({ id }) => id).sort();
  return { program, one, other, active, declined, ofOther, idsOf };
};
type Setup = Awaited<ReturnType<typeof setUp>>;

describe('a list of referrals', () => {
  it.each<{ by: string; query: (setup: Setup) => Query; kept: ('active' | 'declined' | 'ofOther')[]; read: number }>([
    { by: 'no filter', query: () => ({}), kept: ['active', 'declined', 'ofOther'], read: 3 },
    { by: 'affiliate', query: ({ one }) => ({ affiliateId: one.id }), kept: ['active', 'declined'], read: 2 },
    { by: 'affiliate’s email', query: ({ other }) => ({ affiliateEmail: other.email }), kept: ['ofOther'], read: 1 },
    { by: 'status', query: () => ({ status: 'DECLINED' }), kept: ['declined'], read: 1 },
    {
      by: 'affiliate and status',
      query: ({ one }) => ({ affiliateId: one.id, status: 'ACTIVE' }),
      kept: ['active'],
      read: 2,
    },
    { by: 'an email that no affiliate has', query: () => ({ affiliateEmail: 'x@example.com' }), kept: [], read: 0 },
  ])('by $by has what it names, and reads no more than its index', async ({ query, kept, read }) => {
    const setup = await setUp();
    expect(await setup.idsOf(query(setup))).toEqual(kept.map((name) => setup[name].id).sort());
    const { found } = await roundTripsOf(() => setup.idsOf(query(setup)));
    expect(found).toHaveLength(read);
  });

  it.each<{ is: string; query?: (setup: Setup) => Query; request?: Partial<Request>; isThere: boolean }>([
    { is: 'its own', isThere: true },
    { is: 'of its affiliate', query: ({ one }) => ({ affiliateId: one.id }), isThere: true },
    { is: 'of another affiliate', query: ({ other }) => ({ affiliateId: other.id }), isThere: false },
    { is: 'of its status', query: () => ({ status: 'ACTIVE' }), isThere: true },
    { is: 'of another status', query: () => ({ status: 'SUBMITTED' }), isThere: false },
    { is: 'created after its own time', request: { createdAfter: at(0) }, isThere: true },
    { is: 'created after a later time', request: { createdAfter: at(1) }, isThere: false },
    { is: 'created before a later time', request: { createdBefore: at(1) }, isThere: true },
    { is: 'created before its own time', request: { createdBefore: at(0) }, isThere: false },
    { is: 'updated after an earlier time', request: { updatedAfter: at(-1) }, isThere: true },
    { is: 'updated after its own time', request: { updatedAfter: at(0) }, isThere: false },
    { is: 'on the page after the first', request: { after: 'a position' }, isThere: false },
  ])('by an email has one at most: $is', async ({ query = () => ({}), request, isThere }) => {
    const setup = await setUp();
    const { email, id } = setup.active;
    expect(await setup.idsOf({ email, ...query(setup) }, request)).toEqual(isThere ? [id] : []);
    expect(await setup.idsOf({ email: 'nobody@example.com' })).toEqual([]);
  });
});

describe('one referral', () => {
  it('is found by its id, email and external id, and is 404 otherwise', async () => {
    const { program, active } = await setUp();
    const names = { id: active.id, email: active.email, externalId: 'user-1' } as const;
    for (const name of ['id', 'email', 'externalId'] as const) {
      expect(await findReferral(program.id, { name, value: names[name] })).toEqual(active);
      await expectRefusal(() => findReferral(program.id, { name, value: randomUUID() }), { status: 404 });
      await expectRefusal(() => findReferral(newProgram().id, { name, value: names[name] }), { status: 404 });
    }
  });

  it('is indexed by its status, its affiliate and its link, as far as it has them', () => {
    const indexed = (overrides: Partial<StoredReferral>) => {
      const [write] = referrals.createWrites('p', makeStoredReferral(overrides));
      const keys = Object.entries(write?.Put?.Item ?? {}).filter(([name]) => /^gsi\dpk$/.test(name));
      return keys.map(([name, key]) => `${name} ${String(key).split('#').slice(-2).join(' ')}`).sort();
    };
    expect(indexed({})).toEqual(['gsi2pk STATUS ACTIVE']);
    expect(indexed({ affiliateId: 'a', affiliateLinkId: 'l' })).toEqual([
      'gsi1pk AFFILIATE a',
      'gsi2pk STATUS ACTIVE',
      'gsi3pk LINK l',
    ]);
  });
});

describe('an update of a referral', () => {
  const update = (setup: Setup, referralId: string, input: object, versions?: number[]) =>
    updateReferral(setup.program.id, bodyOf(operation, { referralId, ...input }), versions, new Date(at(60_000)));

  it('changes what it sends and keeps the rest', async () => {
    const setup = await setUp();
    const input = { name: 'Priya', plan: 'pro', notes: 'VIP', subscriptionStatus: 'SUBMITTED', metadata: { a: 1 } };
    const updated = await update(setup, setup.active.id, input);
    expect(updated).toEqual({ ...setup.active, ...input, version: 2, updatedAt: at(60_000) });
    expect(await referrals.get(setup.program.id, updated.id)).toEqual(updated);
  });

  it('to an email or an external id that another one has is refused', async () => {
    const setup = await setUp();
    const { active, declined } = setup;
    const taken = (path: string) => ({ status: 400, path });
    expect(await outcomeOf(() => update(setup, declined.id, { email: active.email }))).toEqual(taken('email'));
    expect(await outcomeOf(() => update(setup, declined.id, { referredUserExternalId: 'user-1' }))).toEqual(
      taken('referredUserExternalId'),
    );
    expect(await outcomeOf(() => update(setup, active.id, { email: active.email }))).toBe('accepted');
  });

  it('keeps an email that its affiliate has taken since, and leaves one without an affiliate alone', async () => {
    const setup = await setUp();
    const { program, one } = setup;
    const own = await storeReferral(program, { affiliateId: one.id, email: one.email });
    expect(await outcomeOf(() => update(setup, own.id, { name: 'Amara' }))).toBe('accepted');
    expect(await outcomeOf(() => update(setup, own.id, { email: one.email }))).toBe('accepted');
    const orphan = await storeReferral(program, { affiliateId: null });
    expect(await outcomeOf(() => update(setup, orphan.id, { email: 'orphan@example.com' }))).toBe('accepted');
  });

  it('expects its version, and that it is there', async () => {
    const setup = await setUp();
    expect(await outcomeOf(() => update(setup, setup.active.id, { name: 'P' }, [2]))).toEqual({ status: 412 });
    expect(await outcomeOf(() => update(setup, randomUUID(), { name: 'P' }))).toEqual({ status: 404 });
    expect(now.toISOString()).toBe((await referrals.get(setup.program.id, setup.active.id))?.updatedAt);
  });
});
