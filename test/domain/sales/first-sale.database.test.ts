import { beforeEach, describe, expect, it, vi } from 'vitest';
import { mailVariables } from '../../../shared/contract/mail-settings.ts';
import { claimFirstSale } from '../../../shared/domain/affiliates/totals.ts';
import { changeMailKind } from '../../../shared/domain/programs/change-mail-settings.ts';
import { mailFirstSale } from '../../../shared/domain/sales/first-sale.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { fanOut } from '../../../shared/webhooks/fan-out/fan-out.ts';
import { changeRecord } from '../../support/changes.ts';
import { at, newProgram, now, storeAffiliate, storeSale } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { testQueues } from '../../support/queues.ts';
import { roundTripsOf } from '../../support/round-trips.ts';
import { makeStoredSale } from '../../support/sales.ts';
import { storeProgram } from '../../support/webhooks.ts';

const { sentTo, refuse } = testQueues();
beforeEach(() => {
  vi.stubEnv(mailVariables.from, 'programs@example.com');
  vi.stubEnv('APP_URL', 'https://app.example.com');
});

const setUp = async (affiliateOverrides: Parameters<typeof storeAffiliate>[1] = {}) => {
  const program = await storeProgram();
  const affiliate = await storeAffiliate(program, affiliateOverrides);
  const sell = (milliseconds: number, overrides: Partial<StoredSale> = {}) =>
    storeSale(program, affiliate.id, { createdAt: at(milliseconds), ...overrides });
  const mail = ({ id }: { id: string }) => mailFirstSale({ programId: program.id, saleId: id }, now);
  const mails = () => sentTo('mails').map(({ body }) => body);
  return { program, affiliate, sell, mail, mails };
};

describe('the first sale of an affiliate', () => {
  it('is mailed with its commission in the currency of the program, and a later one is not', async () => {
    const { program, affiliate, sell, mail, mails } = await setUp();
    const [first, second] = [await sell(1, { commissionEarnedMinor: 1234 }), await sell(2)];
    await mail(second);
    expect(mails()).toEqual([]);
    await mail(first);
    expect(mails()).toMatchObject([
      {
        programId: program.id,
        kind: 'FIRST_SALE',
        to: affiliate.email,
        data: {
          commissionMinor: 1234,
          currency: 'USD',
          url: `https://app.example.com/portal/${program.handle ?? program.id}`,
        },
      },
    ]);
  });

  it('is the same mail each time, so that it is sent once', async () => {
    const { sell, mail, mails } = await setUp();
    const first = await sell(1);
    await mail(first);
    await mail(first);
    const ids = mails().map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  it('is one of two that are looked at at once, also where the index does not know the other yet', async () => {
    const { sell, mail, mails } = await setUp();
    const later = await sell(2);
    // The earlier one is stored after the index was read, and is decided first.
    await interrupted(
      () => mail(later),
      async () => mail(await sell(1)),
    );
    expect(mails()).toHaveLength(1);
  });

  it('is mailed by a retry after a failed send, also once the index knows an older sale', async () => {
    const { sell, mail, mails } = await setUp();
    const later = await sell(2);
    refuse(({ queue }) => queue === 'mails');
    await expect(mail(later)).rejects.toThrow('refused');
    refuse(() => false);
    await mail(await sell(1, { commissionEarnedMinor: 4321 }));
    await mail(later);
    expect(mails()).toMatchObject([{ data: { commissionMinor: later.commissionEarnedMinor } }]);
  });

  it('is none of a sale that is held or was rejected, which keep no later one from being it', async () => {
    const { sell, mail, mails } = await setUp();
    const held = await sell(1, { reviewStatus: 'HELD' });
    const rejected = await sell(2, { reviewStatus: 'REJECTED' });
    const counted = await sell(3, { reviewStatus: 'APPROVED' });
    await mail(held);
    await mail(rejected);
    expect(mails()).toEqual([]);
    await mail(counted);
    expect(mails()).toHaveLength(1);
  });

  it('is not the sale after one that was deleted or imported, or of an earlier version', async () => {
    const { program, sell, mail, mails } = await setUp();
    const first = await sell(1);
    await mail(first);
    await writeTogether(sales.deleteWrites(program.id, first));
    await mail(await sell(2));
    expect(mails()).toHaveLength(1);

    const other = await setUp();
    await other.sell(-1000, { source: 'IMPORTED' });
    await other.mail(await other.sell(1));
    expect(other.mails()).toHaveLength(1);
  });

  it.each([
    { is: 'was banned', overrides: { status: 'BANNED' } as const, count: 0 },
    { is: 'is inactive', overrides: { status: 'INACTIVE' } as const, count: 1 },
  ])('makes $count mails to an affiliate who $is', async ({ overrides, count }) => {
    const { sell, mail, mails } = await setUp(overrides);
    await mail(await sell(1));
    expect(mails()).toHaveLength(count);
  });

  it('makes no mail once the affiliate, the sale or the program is gone', async () => {
    const { program, sell, mail, mails } = await setUp();
    const orphan = await storeSale(program, '019a0000-0000-7000-8000-00000000dead');
    expect(await claimFirstSale(program.id, orphan.affiliateId ?? '', orphan.id)).toBeUndefined();
    await mail(orphan);
    const deleted = await sell(1);
    await writeTogether(sales.deleteWrites(program.id, deleted));
    await mail(deleted);
    await mailFirstSale({ programId: newProgram().id, saleId: deleted.id }, now);
    expect(mails()).toEqual([]);
  });
});

describe('fan-out', () => {
  const jobs = () => sentTo('first-sales').map(({ body }) => body.saleId);

  it('asks for the mail where a sale is credited, and of the first sale alone once that is known', async () => {
    const { program, affiliate, sell } = await setUp();
    const [one, other] = [await sell(1), await sell(2)];
    const [first, second] = [one, other].map((after) => changeRecord(program, 'SALE', { after }));
    if (!first || !second) throw new Error('There are two changes');
    await fanOut([first, second], () => now);
    expect(jobs().toSorted()).toEqual([one.id, other.id].toSorted());
    expect(sentTo('first-sales')[0]?.groupId).toBe(program.id);
    // By the message of the other one, which the stream may give before this one.
    await claimFirstSale(program.id, affiliate.id, one.id);
    await fanOut([first, second], () => now);
    expect(jobs().slice(2)).toEqual([one.id]);
  });

  it('asks for it when a held sale is approved or a sale gets its affiliate, and not for other edits', async () => {
    const { program, affiliate } = await setUp();
    const after = makeStoredSale(affiliate.id);
    const edits = [
      { before: { ...after, reviewStatus: 'HELD' }, after: { ...after, reviewStatus: 'APPROVED', version: 2 } },
      { before: { ...after, affiliateId: null }, after: { ...after, version: 2 } },
    ];
    const others = [
      { before: after, after: { ...after, name: 'Noor', version: 2 } },
      { before: after, after: { ...after, affiliateId: null, version: 2 } },
      { before: { ...after, reviewStatus: 'HELD' }, after: { ...after, reviewStatus: 'REJECTED', version: 2 } },
      { after: { ...after, reviewStatus: 'HELD' } },
      { before: after },
    ];
    for (const change of others) await fanOut([changeRecord(program, 'SALE', change)], () => now);
    expect(jobs()).toEqual([]);
    for (const change of edits) await fanOut([changeRecord(program, 'SALE', change)], () => now);
    expect(jobs()).toEqual([after.id, after.id]);
  });

  it.each([
    { what: 'imported', marks: { source: 'IMPORTED', importedBy: 'import#1' } },
    { what: 'approved after its import', marks: { source: 'IMPORTED' } },
    { what: 'edited by an import', marks: { importedBy: 'import#2' } },
    { what: 'restored', marks: { restoredAt: at(0) } },
  ])('never asks for it for a sale that is $what', async ({ marks }) => {
    const { program, affiliate } = await setUp();
    const change = changeRecord(program, 'SALE', { after: { ...makeStoredSale(affiliate.id), ...marks } });
    await fanOut([change], () => now);
    expect(jobs()).toEqual([]);
  });

  it('reads nothing more where the program has switched it off, or the stage sends no mails', async () => {
    const { program, affiliate } = await setUp();
    const created = () => changeRecord(program, 'SALE', { after: makeStoredSale(affiliate.id) });
    const looksOf = async () => {
      const { trips } = await roundTripsOf(() => fanOut([created()], () => now));
      return trips.flat().filter((name) => name === 'BatchGetCommand').length;
    };
    expect(await looksOf()).toBe(1);
    await changeMailKind(program.id, 'FIRST_SALE', { isOff: true, subject: null, opening: null }, now);
    expect(await looksOf()).toBe(0);
    await changeMailKind(program.id, 'FIRST_SALE', { isOff: false, subject: null, opening: null }, now);
    vi.stubEnv(mailVariables.from, '');
    expect(await looksOf()).toBe(0);
    expect(jobs()).toHaveLength(1);
  });
});
