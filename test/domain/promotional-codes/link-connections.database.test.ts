import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { updatePromotionalCode as codeUpdate } from '../../../shared/contract/promotional-codes.ts';
import { deleteLink } from '../../../shared/domain/affiliates/delete-link.ts';
import { findLink } from '../../../shared/domain/affiliates/find-link.ts';
import { listLinks } from '../../../shared/domain/affiliates/list-links.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { deletePromotionalCode } from '../../../shared/domain/promotional-codes/delete-promotional-code.ts';
import {
  codesOfLink,
  connectCode,
  connectLink,
  disconnectCode,
  disconnectLink,
} from '../../../shared/domain/promotional-codes/link-connections.ts';
import { linkResponses } from '../../../shared/domain/promotional-codes/link-responses.ts';
import { updatePromotionalCode } from '../../../shared/domain/promotional-codes/update-promotional-code.ts';
import { putItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import {
  bodyOf,
  expectRefusal,
  newProgram,
  now,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeLink,
} from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

/** Two links of an affiliate, one of another one, and a code of each. */
const setUp = async () => {
  const program = newProgram();
  const [amara, priya] = [await storeAffiliate(program), await storeAffiliate(program)];
  const coupon = await storeCoupon(program);
  const code = await storeCode(program, coupon, { affiliateId: amara.id, code: 'AMARA' });
  const other = await storeCode(program, coupon, { affiliateId: priya.id, code: 'PRIYA' });
  const [one, two] = [
    await storeLink(program, { affiliateId: amara.id, link: 'Summer' }),
    await storeLink(program, { affiliateId: amara.id }),
  ];
  const ofOther = await storeLink(program, { affiliateId: priya.id });
  const codes = async () =>
    Promise.all(
      [one, two, ofOther].map(async ({ id }) => (await codesOfLink(program.id, id)).map((found) => found.code)),
    );
  const rename = (text: string) =>
    updatePromotionalCode(program, bodyOf(codeUpdate, { promotionalCodeId: code.id, code: text }), undefined, now);
  return { program, amara, priya, coupon, code, other, one, two, ofOther, codes, rename };
};

describe('a code of an affiliate', () => {
  it('is on all of its links, once, and on those of nobody else', async () => {
    const { program, code, codes } = await setUp();
    for (let time = 0; time < 2; time++) {
      await connectCode(program.id, code.id);
      expect(await codes()).toEqual([['AMARA'], ['AMARA'], []]);
    }
    await connectCode(newProgram().id, code.id);
    await connectCode(program.id, randomUUID());
    expect(await codes()).toEqual([['AMARA'], ['AMARA'], []]);
  });

  it('without an affiliate is on none', async () => {
    const { program, coupon, codes } = await setUp();
    await connectCode(program.id, (await storeCode(program, coupon)).id);
    expect(await codes()).toEqual([[], [], []]);
  });

  it('has its new text there after it was renamed, also in between', async () => {
    const { program, code, codes, rename } = await setUp();
    await connectCode(program.id, code.id);
    await rename('SPRING');
    await connectCode(program.id, code.id);
    expect(await codes()).toEqual([['SPRING'], ['SPRING'], []]);
    await interrupted(
      () => connectCode(program.id, code.id),
      () => rename('WINTER'),
    );
    expect(await codes()).toEqual([['WINTER'], ['WINTER'], []]);
  });

  it('that is deleted is on none, also in between', async () => {
    const { program, amara, code, other, codes } = await setUp();
    for (const { id } of [code, other]) await connectCode(program.id, id);
    await deletePromotionalCode(program.id, code.id, undefined, now);
    await disconnectCode(program.id, code.id, amara.id);
    expect(await codes()).toEqual([[], [], ['PRIYA']]);
    await interrupted(
      () => connectCode(program.id, other.id),
      () => deletePromotionalCode(program.id, other.id, undefined, now),
    );
    expect(await codes()).toEqual([[], [], []]);
  });
});

describe('a link', () => {
  it('has all codes of its affiliate, and is entered on it', async () => {
    const { program, amara, coupon, one, codes } = await setUp();
    await storeCode(program, coupon, { affiliateId: amara.id, code: 'SECOND' });
    expect(await connectLink(program.id, one.id, now)).toBeUndefined();
    const [ofOne, ...others] = await codes();
    expect(new Set(ofOne)).toEqual(new Set(['AMARA', 'SECOND']));
    expect(others).toEqual([[], []]);
    expect(Object.keys((await affiliates.get(program.id, amara.id))?.links ?? {})).toEqual([one.id]);
  });

  it('that is not there, or not in this program, has none', async () => {
    const { program, one, codes } = await setUp();
    expect(await connectLink(program.id, randomUUID(), now)).toBeUndefined();
    expect(await connectLink(newProgram().id, one.id, now)).toBeUndefined();
    expect(await codes()).toEqual([[], [], []]);
  });

  it('that is deleted in between has none', async () => {
    const { program, amara, one, codes } = await setUp();
    await connectLink(program.id, one.id, now);
    await interrupted(
      () => connectLink(program.id, one.id, now),
      async () => {
        await deleteLink(program.id, { id: one.id }, undefined, now);
        await disconnectLink(program.id, one.id, undefined);
      },
    );
    expect(await codes()).toEqual([[], [], []]);
    expect((await affiliates.get(program.id, amara.id))?.links).toEqual({});
  });

  it('shows at most 100 codes, and loses as many with each message, until none is left', async () => {
    const { program, one } = await setUp();
    const pair = (number: number) => ({
      pk: partition(program.id, 'LINK_CODE', one.id),
      sk: `code-${String(number).padStart(3, '0')}`,
      code: String(number),
    });
    await Promise.all(Array.from({ length: 101 }, (_, number) => putItem('records', pair(number))));
    const shown = await codesOfLink(program.id, one.id);
    expect(shown).toHaveLength(100);
    expect(shown[0]).toEqual({ id: 'code-100', code: '100' });
    const next = await disconnectLink(program.id, one.id, undefined);
    expect(next).toBe('code-001');
    expect(await disconnectLink(program.id, one.id, next)).toBeUndefined();
    expect(await codesOfLink(program.id, one.id)).toEqual([]);
  });

  it('is found by its id or its slug, case-insensitively, and by both only if they name the same', async () => {
    const { program, one, two } = await setUp();
    for (const named of [{ id: one.id }, { link: 'sUMMER' }, { id: one.id, link: 'SUMMER' }])
      expect(await findLink(program.id, named)).toEqual(one);
    for (const named of [{ id: two.id, link: 'Summer' }, { id: randomUUID() }, { link: 'winter' }])
      await expectRefusal(() => findLink(program.id, named), { status: 404 });
    await expectRefusal(() => findLink(newProgram().id, { id: one.id }), { status: 404 });
  });
});

describe('a list of links', () => {
  it('is that of the program or of one affiliate', async () => {
    const { program, amara, priya, one, two, ofOther } = await setUp();
    const idsOf = async (query: Parameters<typeof listLinks>[1]) =>
      (await listLinks(program.id, query, { limit: 10 })).items.map(({ id }) => id).sort();
    expect(await idsOf({})).toEqual([one.id, two.id, ofOther.id].sort());
    expect(await idsOf({ affiliateId: amara.id })).toEqual([one.id, two.id].sort());
    expect(await idsOf({ affiliateEmail: priya.email })).toEqual([ofOther.id]);
    expect(await idsOf({ affiliateEmail: 'nobody@example.com' })).toEqual([]);
  });

  it('shows each with its affiliate, program and codes', async () => {
    const ownerEmail = `${randomUUID()}@example.com`;
    const baseUrls = ['https://example.com/', 'https://example.org/shop'];
    const { programId: id } = await createProgram({ name: 'Links', ownerEmail, currency: 'JPY', baseUrls }, now);
    const program = newProgram({ id });
    const affiliate = await storeAffiliate(program, { firstName: 'Amara', lastName: 'Okafor' });
    const link = await storeLink(program, { affiliateId: affiliate.id, link: 'summer', totalRevenueMinor: 1250 });
    const code = await storeCode(program, await storeCoupon(program), { affiliateId: affiliate.id });
    await connectCode(id, code.id);
    expect(await linkResponses({ id }, [link])).toEqual([
      {
        ...link,
        affiliate: { id: affiliate.id, name: 'Amara Okafor', email: affiliate.email },
        program: { id, name: 'Links', currency: 'JPY' },
        promotionalCodes: [{ id: code.id, code: code.code }],
        totalRevenue: 1250,
        fullURLs: [
          { baseUrl: 'https://example.com/', fullUrl: 'https://example.com/?ref=summer' },
          { baseUrl: 'https://example.org/shop', fullUrl: 'https://example.org/shop?ref=summer' },
        ],
      },
    ]);
    const orphan = await storeLink(program, { affiliateId: randomUUID() });
    await expect(linkResponses({ id }, [orphan])).rejects.toThrow('tombstone');
  });
});
