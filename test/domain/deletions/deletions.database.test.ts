import { describe, expect, it, vi } from 'vitest';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { deleteAffiliate } from '../../../shared/domain/deletions/delete-affiliate.ts';
import { deleteReferral } from '../../../shared/domain/deletions/delete-referral.ts';
import { finishDeletion } from '../../../shared/domain/deletions/finish-deletion.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { referrals, referralsOfAffiliate } from '../../../shared/domain/referrals/repository.ts';
import { deletionName, readDeletions } from '../../../shared/platform/table/reads.ts';
import { purgeTools } from '../../support/deletions.ts';
import {
  at,
  newProgram,
  now,
  outcomeOf,
  storeAffiliate,
  storeLink,
  storeReferral,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { createBatch, deleteBatch, payBatch, prepareBatch } from '../../support/payout-batches.ts';

/** An affiliate with two referrals, one of which has a sale. */
const setUp = async () => {
  const program = newProgram();
  const affiliate = await storeAffiliate(program);
  const [buyer, visitor] = [
    await storeReferral(program, { affiliateId: affiliate.id }),
    await storeReferral(program, { affiliateId: affiliate.id }),
  ];
  await storeSale(program, affiliate.id, { referralId: buyer.id, createdAt: at(-1) });
  return { program, affiliate, buyer, visitor };
};

const accepted = { affiliate: 'accepted', buyer: 'accepted', visitor: 'accepted' };
const conflict = { status: 409 };
const cases: { batch: string; act: (program: TestProgram) => Promise<unknown>; outcomes: object }[] = [
  { batch: 'none', act: async () => {}, outcomes: accepted },
  { batch: 'PREPARING, which has taken nothing yet', act: createBatch, outcomes: accepted },
  {
    batch: 'READY',
    act: prepareBatch,
    outcomes: { affiliate: conflict, buyer: conflict, visitor: 'accepted' },
  },
  {
    batch: 'without the sale',
    act: (program) => prepareBatch(program, { minimumAmount: 10.01 }),
    outcomes: accepted,
  },
  {
    batch: 'PAID',
    act: async (program) => payBatch(program, await prepareBatch(program)),
    outcomes: accepted,
  },
  {
    batch: 'deleted',
    act: async (program) => deleteBatch(program, await prepareBatch(program)),
    outcomes: accepted,
  },
];

describe('beside a payout batch', () => {
  it.each(cases)('that is $batch, a deletion is $outcomes', async ({ act, outcomes }) => {
    const { program, affiliate, buyer, visitor } = await setUp();
    await act(program);
    expect({
      buyer: await outcomeOf(() => deleteReferral(program.id, buyer.id, undefined, now)),
      visitor: await outcomeOf(() => deleteReferral(program.id, visitor.email, undefined, now)),
      affiliate: await outcomeOf(() => deleteAffiliate(program.id, affiliate.email, undefined, now)),
    }).toEqual(outcomes);
  });
});

describe('a deletion', () => {
  it.each([
    { versions: [1], outcome: 'accepted' },
    { versions: [2], outcome: { status: 412 } },
  ])('of version 1 where $versions are expected', async ({ versions, outcome }) => {
    const { program, affiliate, visitor } = await setUp();
    expect(await outcomeOf(() => deleteReferral(program.id, visitor.id, versions, now))).toEqual(outcome);
    expect(await outcomeOf(() => deleteAffiliate(program.id, affiliate.id, versions, now))).toEqual(outcome);
  });

  it('frees the emails, and happens once', async () => {
    const { program, affiliate, visitor } = await setUp();
    await deleteReferral(program.id, visitor.id, undefined, now);
    await deleteAffiliate(program.id, affiliate.id, undefined, now);
    expect(await affiliates.find(program.id, 'EMAIL', affiliate.email)).toBeUndefined();
    expect(await referrals.find(program.id, 'EMAIL', visitor.email)).toBeUndefined();
    const notFound = { status: 404 };
    expect(await outcomeOf(() => deleteReferral(program.id, visitor.id, undefined, now))).toEqual(notFound);
    expect(await outcomeOf(() => deleteAffiliate(program.id, affiliate.id, undefined, now))).toEqual(notFound);
  });

  it('of an affiliate deletes links and referrals, and keeps the exact time for their events', async () => {
    const { program, affiliate, visitor } = await setUp();
    const link = await storeLink(program, { affiliateId: affiliate.id });
    const later = new Date(at(1234));
    const message = { programId: program.id, kind: 'AFFILIATE', id: affiliate.id, step: 0, isSweep: true } as const;
    const send = () => Promise.reject(new Error('This is one message'));
    await finishDeletion(message, { send, now: () => later, ...purgeTools });
    expect(await links.find(program.id, 'SLUG', link.link)).toBeUndefined();
    expect(await referrals.get(program.id, visitor.id)).toBeUndefined();
    const names = [deletionName('LINK', link.id), deletionName('REFERRAL', visitor.id)];
    const times = await readDeletions(program.id, names);
    expect(names.map((name) => times.get(name)?.at)).toEqual([later.toISOString(), later.toISOString()]);
  });

  it('of what another program has is refused', async () => {
    const { affiliate, visitor } = await setUp();
    const { id } = newProgram();
    expect(await outcomeOf(() => deleteReferral(id, visitor.id, undefined, now))).toEqual({ status: 404 });
    expect(await outcomeOf(() => deleteAffiliate(id, affiliate.email, undefined, now))).toEqual({ status: 404 });
  });
});

it('a referral that is written after its affiliate was deleted and swept once is gone with the second sweep', async () => {
  const program = newProgram();
  const { id } = await storeAffiliate(program);
  type Message = Parameters<typeof finishDeletion>[0];
  const waiting: { message: Message; delaySeconds: number | undefined }[] = [];
  const send = async (message: Message, delaySeconds?: number) => void waiting.push({ message, delaySeconds });
  const tools = { send, now: () => now, ...purgeTools };
  const read = affiliates.get;
  vi.spyOn(affiliates, 'get').mockImplementationOnce(async (...named) => {
    const affiliate = await read(...named);
    await deleteAffiliate(program.id, id, undefined, now);
    await finishDeletion({ programId: program.id, kind: 'AFFILIATE', id, step: 0, isSweep: false }, tools);
    return affiliate;
  });
  const body = { name: 'Priya', email: 'priya@example.com', affiliateId: id };
  const referral = await createReferral(program, body, now);
  expect(await referrals.get(program.id, referral.id)).toEqual(referral);
  const [sweep, ...others] = waiting;
  expect(others).toEqual([]);
  // A request takes 30 seconds at most, and a minute is promised.
  expect(sweep?.delaySeconds).toBeGreaterThan(30);
  expect(sweep?.delaySeconds).toBeLessThan(60);
  if (sweep) await finishDeletion(sweep.message, tools);
  expect(waiting).toHaveLength(1);
  expect(await referrals.get(program.id, referral.id)).toBeUndefined();
  expect(await referrals.find(program.id, 'EMAIL', body.email)).toBeUndefined();
  expect((await referrals.page(program.id, { limit: 1 }, referralsOfAffiliate(id))).items).toEqual([]);
});
