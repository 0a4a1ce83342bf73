import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { updatePromotionalCode as codeUpdate } from '../../../shared/contract/promotional-codes.ts';
import { createSale as saleOperation } from '../../../shared/contract/sales.ts';
import { createLink } from '../../../shared/domain/affiliates/create-link.ts';
import { deleteLink } from '../../../shared/domain/affiliates/delete-link.ts';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { deleteCoupon } from '../../../shared/domain/coupons/delete-coupon.ts';
import { deleteAffiliate } from '../../../shared/domain/deletions/delete-affiliate.ts';
import { deleteReferral } from '../../../shared/domain/deletions/delete-referral.ts';
import { DeletionMessage, finishDeletion } from '../../../shared/domain/deletions/finish-deletion.ts';
import { deleteProgram } from '../../../shared/domain/programs/programs.ts';
import { codesOfLink, connectCode } from '../../../shared/domain/promotional-codes/link-connections.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { updatePromotionalCode } from '../../../shared/domain/promotional-codes/update-promotional-code.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { adjustments } from '../../../shared/domain/sales/adjustments.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { scanItems } from '../../../shared/platform/table/items.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { purgeTools } from '../../support/deletions.ts';
import {
  at,
  bodyOf,
  newProgram,
  now,
  storeAdjustment,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeReferral,
  storeSale,
  type TestProgram,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { prepareBatch } from '../../support/payout-batches.ts';
import { storeAll } from '../../support/sales.ts';
import { makeStoredReferral } from '../../support/stored-records.ts';
import { storeProgram, storeWebhook } from '../../support/webhooks.ts';

type Deleted = Pick<Message, 'kind' | 'id'>;
type Message = Parameters<typeof finishDeletion>[0];

/** Does the work of a deletion, and returns the messages that it sent. */
const work = async ({ id: programId }: TestProgram, deleted: Deleted, overrides: Partial<Message> = {}) => {
  const sent: { message: Message; delaySeconds: number | undefined }[] = [];
  await finishDeletion(DeletionMessage.parse({ programId, ...deleted, ...overrides }), {
    send: async (message, delaySeconds) => void sent.push({ message, delaySeconds }),
    now: () => now,
    ...purgeTools,
  });
  return sent;
};

const paid = { payoutBatchId: '019a0000-0000-7000-8000-0000000000b1', paidAt: at(0) };

/** An affiliate with one of everything. */
const setUp = async (program: TestProgram = newProgram()) => {
  const affiliate = await storeAffiliate(program);
  const link = await createLink(program.id, { affiliateId: affiliate.id, link: 'summer' }, now);
  const coupon = await storeCoupon(program);
  const code = await storeCode(program, coupon, { affiliateId: affiliate.id });
  await connectCode(program.id, code.id);
  const referral = await storeReferral(program, { affiliateId: affiliate.id, affiliateLinkId: link.id });
  const credited = { referralId: referral.id, affiliateLinkId: link.id, createdAt: at(-1000) };
  const sale = await storeSale(program, affiliate.id, credited);
  const paidSale = await storeSale(program, affiliate.id, { ...credited, ...paid });
  const owed = await storeAdjustment(program, affiliate.id, -300);
  const state = async () => ({
    affiliate: (await affiliates.get(program.id, affiliate.id)) !== undefined,
    referral: await referrals.get(program.id, referral.id),
    sale: await sales.get(program.id, sale.id),
    paidSale: await sales.get(program.id, paidSale.id),
    adjustment: await adjustments.get(program.id, owed.id),
    code: await promotionalCodes.get(program.id, code.id),
    link: await links.get(program.id, link.id),
    codesOfLink: (await codesOfLink(program.id, link.id)).length,
  });
  return { program, affiliate, link, coupon, code, referral, sale, paidSale, owed, state };
};
type Made = Awaited<ReturnType<typeof setUp>>;

interface Cascade {
  kind: 'AFFILIATE' | 'REFERRAL' | 'LINK' | 'COUPON';
  remove: (made: Made) => Promise<unknown>;
  idOf: (made: Made) => string;
  /** What is left, as far as the cascade touches it. */
  left: object;
}

const unlinked = expect.objectContaining({ affiliateLinkId: null });
const kept = expect.objectContaining({});
const everything = {
  affiliate: true,
  referral: kept,
  sale: kept,
  paidSale: kept,
  adjustment: kept,
  code: kept,
  link: kept,
  codesOfLink: 1,
};

const cascades: readonly Cascade[] = [
  {
    kind: 'AFFILIATE',
    remove: ({ program, affiliate }) => deleteAffiliate(program.id, affiliate.id, undefined, now),
    idOf: ({ affiliate }) => affiliate.id,
    // A code stays, without its affiliate. The pair of link and code goes with the link's own deletion.
    left: {
      affiliate: false,
      referral: undefined,
      sale: undefined,
      paidSale: expect.objectContaining(paid),
      adjustment: undefined,
      code: expect.objectContaining({ affiliateId: null }),
      link: undefined,
      codesOfLink: 1,
    },
  },
  {
    kind: 'REFERRAL',
    remove: ({ program, referral }) => deleteReferral(program.id, referral.id, undefined, now),
    idOf: ({ referral }) => referral.id,
    left: { ...everything, referral: undefined, sale: undefined, paidSale: expect.objectContaining(paid) },
  },
  {
    kind: 'LINK',
    remove: ({ program, link }) => deleteLink(program.id, { id: link.id }, undefined, now),
    idOf: ({ link }) => link.id,
    left: { ...everything, referral: unlinked, sale: unlinked, paidSale: unlinked, link: undefined, codesOfLink: 0 },
  },
  {
    kind: 'COUPON',
    remove: ({ program, coupon }) => deleteCoupon(program.id, coupon.id, undefined, now),
    idOf: ({ coupon }) => coupon.id,
    left: { ...everything, code: undefined },
  },
];

describe.each(cascades)('the deletion of a $kind', ({ kind, remove, idOf, left }) => {
  it('takes along what belongs to it, and nothing else', async () => {
    const made = await setUp();
    const other = await setUp();
    await remove(made);
    const sent = await work(made.program, { kind, id: idOf(made) });
    expect(await made.state()).toEqual(left);
    expect(await other.state()).toMatchObject(everything);
    // What was in flight is swept up later.
    expect(sent).toEqual([{ message: expect.objectContaining({ isSweep: true, step: 0 }), delaySeconds: 40 }]);
    expect(await work(made.program, { kind, id: idOf(made) }, { isSweep: true })).toEqual([]);
  });

  it('may be worked on twice', async () => {
    const made = await setUp();
    await remove(made);
    await work(made.program, { kind, id: idOf(made) });
    const after = await made.state();
    await work(made.program, { kind, id: idOf(made) });
    expect(await made.state()).toEqual(after);
  });

  it.each([1, 3])('race: may be worked on by two at once, overtaken at write %i', async (write) => {
    const made = await setUp();
    await remove(made);
    const all = () => work(made.program, { kind, id: idOf(made) });
    await interrupted(all, all, write).catch((error: unknown) => {
      // A cascade with fewer writes has nothing to overtake there.
      if (!String(error).includes('ended before its write')) throw error;
    });
    const state = await made.state();
    await work(made.program, { kind, id: idOf(made) });
    expect(await made.state()).toEqual(state);
    expect(state).toMatchObject(left);
  });
});

describe('a cascade', () => {
  it('of more records than a page goes on page by page, and by message after 15 seconds', async () => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program);
    const made = Array.from({ length: 101 }, () =>
      makeStoredReferral({ id: newRecordId(now), email: `${randomUUID()}@example.com`, affiliateId: affiliate.id }),
    );
    await storeAll(made.flatMap((referral) => referrals.createWrites(program.id, referral)));
    await deleteAffiliate(program.id, affiliate.id, undefined, now);
    const deleted = { programId: program.id, kind: 'AFFILIATE', id: affiliate.id } as const;
    const count = async () => {
      const { items } = await referrals.page(program.id, { limit: 200 });
      return items.length;
    };
    let clock = now.getTime();
    const sent: Message[] = [];
    // Each look at the clock is 10 seconds later than the one before.
    const tools = {
      send: async (message: Message) => void sent.push(message),
      now: () => {
        clock += 10_000;
        return new Date(clock);
      },
      ...purgeTools,
    };
    await finishDeletion(DeletionMessage.parse(deleted), tools);
    expect(await count()).toBe(1);
    expect(sent).toMatchObject([{ step: 0, isSweep: false, after: expect.any(String) }]);
    const [rest] = sent;
    if (!rest) throw new Error('No message was sent');
    await finishDeletion(rest, tools);
    expect(await count()).toBe(0);
  });

  it.each([
    { is: 'a capped code', overrides: { maxRedemptions: 3 }, hasAffiliate: true },
    { is: 'a capped code of nobody', overrides: { maxRedemptions: 3 }, hasAffiliate: false },
    { is: 'an uncapped code of nobody', overrides: { externalId: 'code-1' }, hasAffiliate: false },
  ])('takes along $is, with all of its items', async ({ overrides, hasAffiliate }) => {
    const program = newProgram();
    const affiliate = hasAffiliate ? await storeAffiliate(program) : undefined;
    const coupon = await storeCoupon(program);
    const { id, code } = await storeCode(program, coupon, { affiliateId: affiliate?.id ?? null, ...overrides });
    await deleteCoupon(program.id, coupon.id, undefined, now);
    await work(program, { kind: 'COUPON', id: coupon.id });
    expect(await promotionalCodes.get(program.id, id)).toBeUndefined();
    // Both values are free again.
    const again = await storeCoupon(program);
    expect(await storeCode(program, again, { code, ...overrides })).toMatchObject({ code });
  });

  it('leaves a sale that a batch takes in between', async () => {
    const { program, referral, sale, paidSale } = await setUp();
    await deleteReferral(program.id, referral.id, undefined, now);
    await interrupted(
      () => work(program, { kind: 'REFERRAL', id: referral.id }),
      () => prepareBatch(program),
    );
    expect((await sales.get(program.id, sale.id))?.payoutBatchId).toEqual(expect.any(String));
    expect(await sales.get(program.id, paidSale.id)).toMatchObject(paid);
  });

  it('of an affiliate frees a code that is edited in between, and keeps the edit', async () => {
    const { program, affiliate, code } = await setUp();
    await deleteAffiliate(program.id, affiliate.id, undefined, now);
    // Referral, sale and adjustment go before: each in a write of its own.
    const edit = () =>
      updatePromotionalCode(program, bodyOf(codeUpdate, { promotionalCodeId: code.id, active: false }), undefined, now);
    let writes = 1;
    for (; (await promotionalCodes.get(program.id, code.id))?.affiliateId !== null; writes++) {
      const step = () => work(program, { kind: 'AFFILIATE', id: affiliate.id }, { step: 3 });
      await interrupted(step, edit, writes);
    }
    expect(await promotionalCodes.get(program.id, code.id)).toMatchObject({ affiliateId: null, active: false });
  });
});

describe('the purge of a program', () => {
  /** The items of two programs, by one scan of the table. */
  const itemsOf = async (one: string, other: string) => {
    const found: string[] = [];
    for await (const { pk } of scanItems('records', {
      FilterExpression: 'contains(pk, :one) OR contains(pk, :other)',
      ExpressionAttributeValues: { ':one': one, ':other': other },
      ProjectionExpression: 'pk',
    }))
      found.push(String(pk));
    return { one: found.filter((pk) => pk.includes(one)), other: found.filter((pk) => pk.includes(other)) };
  };

  it('leaves nothing, and no other program loses anything', async () => {
    const program = await storeProgram();
    const [made, other] = [await setUp(program), await setUp()];
    await storeWebhook(program.id);
    const capped = await storeCode(program, await storeCoupon(program, { maxRedemptions: 5 }), { maxRedemptions: 5 });
    await createSale(
      program,
      bodyOf(saleOperation, { totalEarned: 100, promoCode: capped.code, email: 'priya@example.com' }),
      now,
    );
    await prepareBatch(program);
    await deleteReferral(program.id, (await storeReferral(program)).id, undefined, now);
    const before = await other.state();
    await deleteProgram(program.id);
    expect(await made.state()).toMatchObject({ affiliate: true, codesOfLink: 1 });
    await work(program, { kind: 'PROGRAM', id: program.id });
    // The keys stay until their tokens were told.
    const left = await itemsOf(program.id, other.program.id);
    expect(left.one).toEqual([]);
    expect(left.other.length).toBeGreaterThan(10);
    expect((await made.state()).affiliate).toBe(false);
    expect(await other.state()).toEqual(before);
  });
});
