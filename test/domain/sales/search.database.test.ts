import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createAffiliate as affiliateOperation,
  updateAffiliate as changeOperation,
} from '../../../shared/contract/affiliates.ts';
import { updateSale as saleChange, createSale as saleOperation } from '../../../shared/contract/sales.ts';
import { createAffiliate } from '../../../shared/domain/affiliates/create-affiliate.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { searchAffiliates } from '../../../shared/domain/affiliates/search.ts';
import { updateAffiliate } from '../../../shared/domain/affiliates/update-affiliate.ts';
import { deleteAffiliate } from '../../../shared/domain/deletions/delete-affiliate.ts';
import { buildSearchOf } from '../../../shared/domain/sales/build-search.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { deleteSale } from '../../../shared/domain/sales/delete-sale.ts';
import { listSales } from '../../../shared/domain/sales/list-sales.ts';
import { updateSale } from '../../../shared/domain/sales/update-sale.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { queryItems } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { costOf } from '../../support/capacity.ts';
import { at, bodyOf, newProgram, now, storeAffiliate, storeSale, type TestProgram } from '../../support/domain.ts';
import { isEmbedded } from '../../support/embedded-database.ts';

let program: TestProgram;
beforeEach(() => {
  program = newProgram();
});

const affiliate = (firstName: string, lastName: string, email: string) =>
  createAffiliate(program.id, bodyOf(affiliateOperation, { firstName, lastName, email }), now);

const found = async (text: string, limit = 50): Promise<string[]> => {
  const names: string[] = [];
  let after: string | undefined;
  do {
    const page = await searchAffiliates(program.id, text, { limit, after }, () => true);
    names.push(...page.items.map(({ firstName }) => firstName));
    after = page.next;
  } while (after !== undefined);
  return names;
};

const entriesOf = async (kind: 'AFFILIATE' | 'SALE', name = 'WORD'): Promise<number> => {
  const query = { KeyConditionExpression: 'pk = :pk' };
  const pk = partition(program.id, kind, name);
  return (await queryItems('records', { ...query, ExpressionAttributeValues: { ':pk': pk } })).items.length;
};

describe('a search of affiliates', () => {
  beforeEach(async () => {
    await affiliate('Amara', 'van Okafor', 'amara@shop.example');
    await affiliate('Zoë', 'Okonkwo', 'zo.amarante@example.com');
    await affiliate('Иван', 'Петров', 'ivan+news@example.com');
  });

  it.each<[string, string[]]>([
    ['amara', ['Amara', 'Zoë']],
    ['OKA', ['Amara']],
    ['ok', ['Amara', 'Zoë']],
    ['okafor amara', ['Amara']],
    ['van oka', ['Amara']],
    ['amara okonkwo', ['Zoë']],
    ['zoe', ['Zoë']],
    ['ZOË', ['Zoë']],
    ['amara@shop.example', ['Amara']],
    ['amara@sh', ['Amara']],
    ['zo.ama', ['Zoë']],
    ['пет', ['Иван']],
    ['news', ['Иван']],
    ['kafor', []],
    ['amara nobody', []],
    ['@', []],
  ])('for %j finds %j', async (text, names) => {
    expect(await found(text)).toEqual(names);
    expect(await found(text, 1)).toEqual(names);
  });

  it('finds a renamed affiliate by the new words, and no deleted one; no entry is left', async () => {
    const { id } = await affiliate('Anna', 'Annan', 'anna@anna.example');
    expect(await found('ann')).toEqual(['Anna']);
    const before = await entriesOf('AFFILIATE');
    const change = { affiliateId: id, firstName: 'Berta', email: 'berta@anna.example' };
    await updateAffiliate(program.id, bodyOf(changeOperation, change), undefined, now);
    expect([await found('anna'), await found('annan b'), await found('berta')]).toEqual([
      ['Berta'],
      ['Berta'],
      ['Berta'],
    ]);
    await deleteAffiliate(program.id, id, undefined, now);
    expect(await found('berta')).toEqual([]);
    expect(before - (await entriesOf('AFFILIATE'))).toBe(2);
  });
});

describe('a search of sales', () => {
  const sell = async (name: string, email: string, later: number) => {
    const { id: referralId } = await storeAffiliate(program);
    const body = bodyOf(saleOperation, { totalEarned: 10, referralId, name, email });
    return createSale(program, body, new Date(at(later)));
  };
  const soldTo = async (search: string, filters: { status?: 'ACTIVE' | 'REFUNDED' } = {}) =>
    (await listSales(program.id, { search, ...filters }, { limit: 50 })).items.map(({ name }) => name);

  it('finds customers by words of name and email, the newest first, with the other filters', async () => {
    await sell('Priya One', 'priya@shop.example', 0);
    await sell('Priya Two', 'priya@shop.example', 1000);
    await sell('Zoë', 'zoe@elsewhere.example', 2000);
    expect(await soldTo('priya@shop.example')).toEqual(['Priya Two', 'Priya One']);
    expect(await soldTo('one pri')).toEqual(['Priya One']);
    expect(await soldTo('ELSEW')).toEqual(['Zoë']);
    expect(await soldTo('priya', { status: 'REFUNDED' })).toEqual([]);
  });

  it('knows a customer that was changed, and no deleted sale; no entry is left', async () => {
    const sale = await sell('Priya', 'priya@shop.example', 0);
    const saleId = Number(sale.id);
    const change = bodyOf(saleChange, { saleId, name: 'Zoë', email: null });
    await updateSale(program, change, undefined, now);
    expect([await soldTo('priya'), await soldTo('zoe')]).toEqual([[], ['Zoë']]);
    expect(await entriesOf('SALE')).toBe(1);
    await deleteSale(program.id, saleId, undefined, now);
    expect(await entriesOf('SALE')).toBe(0);
  });
});

describe('what a search costs', () => {
  it.runIf(isEmbedded)('2 write units for each word when an affiliate is created', async () => {
    const unitsFor = async (lastName: string, email: string) =>
      (await costOf(() => affiliate('Amara', lastName, email))).writeUnits;
    const one = await unitsFor('', 'amara@amara.example');
    expect((await unitsFor('Okafor van den', 'amara@shop.example')) - one).toBe(8);
  });

  it('what it finds, and 1,000 entries at most', async () => {
    for (let number = 0; number < 20; number++) await affiliate(`Amara${number}`, 'Okafor', `a${number}@shop.example`);
    const { calls, readUnits } = await costOf(() => found('okafor', 50));
    expect({ calls, readUnits }).toEqual({ calls: 2, readUnits: 21 });
  });
});

it('records from before get their words by the operator’s command, as no edit, and lose what they were searched by', async () => {
  const { id, email } = await storeAffiliate(program, { firstName: 'Amara', lastName: 'Okafor' });
  await storeSale(program, id, { name: 'Priya', email: 'priya@shop.example' });
  const former = { pk: partition(program.id, 'AFFILIATE', 'NAME'), sk: `amara okafor#${id}`, id };
  await documents.send(new PutCommand({ TableName: deployedName('records'), Item: former }));
  expect(await found('okafor')).toEqual([]);
  expect(await buildSearchOf(program.id)).toEqual({ programs: 1, affiliates: 1, sales: 1 });
  expect(await found('okafor')).toEqual(['Amara']);
  expect((await affiliates.get(program.id, id))?.version).toBe(1);
  expect((await listSales(program.id, { search: 'priya' }, { limit: 1 })).items).toHaveLength(1);
  expect(await entriesOf('AFFILIATE', 'NAME')).toBe(0);
  expect(await buildSearchOf(program.id)).toEqual({ programs: 1, affiliates: 0, sales: 0 });
  const change = bodyOf(changeOperation, { emailAddress: email, lastName: 'Berg' });
  await updateAffiliate(program.id, change, undefined, now);
  expect([await found('okafor'), await found('berg')]).toEqual([[], ['Amara']]);
});
