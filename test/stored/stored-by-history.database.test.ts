import { readFileSync } from 'node:fs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { countableChangesOf, updateTotals } from '../../shared/domain/totals/update-totals.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { RandomProgram } from '../domain/commissions/random-program.ts';
import { now } from '../support/domain.ts';
import { watchRecords } from '../support/watch-records.ts';
import { furtherSchemas } from './schemas.ts';

/** In DynamoDB's JSON. */
const Value = z.record(z.string(), z.unknown());
const Item = z.record(z.string(), Value);
type Item = z.infer<typeof Item>;

const kinds = ['PROGRAM', 'GROUP', 'AFFILIATE', 'COUPON', 'PROMOTIONAL_CODE', 'SALE', 'ADJUSTMENT', 'PAYOUT_BATCH'];
const partitionsOf = { PAYOUT: 'PAYOUT#BATCH', STATISTIC: 'STATISTIC' };

const kindOf = ({ pk }: Item): string | undefined => {
  const [, , first = '', second] = String(pk?.S).split('#');
  const both = `${first}#${second}`;
  if (both in furtherSchemas) return both;
  if (second === undefined) return kinds.find((kind) => kind === first);
  return Object.entries(partitionsOf).find(([, begin]) => `${both}#`.startsWith(`${begin}#`))?.[0];
};

/** Whose attributes anybody names, and what is there in any item or by an index. */
const isLeftOut = (name: string) => ['metadata', 'by', 'ttl'].includes(name) || name.startsWith('gsi');

/** Such as `commissionRule.tier.reached S`. */
const fieldsIn = (value: z.infer<typeof Value>, path: string): string[] => {
  const [[type = '', content] = []] = Object.entries(value);
  const inner =
    type === 'M'
      ? Object.entries(Item.parse(content)).flatMap(([name, one]) => fieldsIn(one, `${path}.${name}`))
      : type === 'L'
        ? z
            .array(Value)
            .parse(content)
            .flatMap((one) => fieldsIn(one, `${path}[]`))
        : [];
  return [`${path} ${type}`, ...inner];
};
const fieldsOfItem = (item: Item): string[] =>
  Object.entries(item).flatMap(([name, value]) => (isLeftOut(name) ? [] : fieldsIn(value, name)));
const namesIn = (item: Item): string =>
  Object.keys(item)
    .filter((name) => !isLeftOut(name))
    .sort()
    .join(' ');

const frozen = (kind: string): Item[] =>
  z
    .array(Item)
    .parse(JSON.parse(readFileSync(new URL(`items/${kind.replace('#', '.')}.json`, import.meta.url), 'utf8')));

const itemsOf = async (programId: string): Promise<Item[]> => {
  const items: Item[] = [];
  let after: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new ScanCommand({
        TableName: deployedName('records'),
        ExclusiveStartKey: after,
        FilterExpression: 'begins_with(pk, :program)',
        ExpressionAttributeValues: { ':program': `PROGRAM#${programId}#` },
      }),
    );
    items.push(...(page.Items ?? []).map((item) => Item.parse(marshall(item))));
    after = page.LastEvaluatedKey;
  } while (after);
  return items;
};

const steps = 300;
let stored: Map<string | undefined, Item[]>;

beforeAll(async () => {
  const history = new RandomProgram({ currency: 'USD', digits: 2, timeZone: 'UTC', offsetHours: 0 }, steps, 1);
  await history.begin();
  const changes = watchRecords(history.program);
  for (let step = 1; step <= steps; step += 1) {
    await history.step();
    if (step % 10 !== 0) continue;
    await updateTotals(await countableChangesOf(await changes()), now);
    history.wasCounted();
  }
  stored = Map.groupBy(await itemsOf(history.program.id), kindOf);
}, 120_000);

const addIt = (kind: string, item: Item | undefined): string =>
  `Add this item at the end of test/stored/items/${kind.replace('#', '.')}.json: ${JSON.stringify(item)}`;

it.each([
  ...kinds,
  ...Object.keys(partitionsOf),
  'AFFILIATE#TOTALS',
  'SALE#CUSTOMER',
  'SALE#DAY',
  'PROMOTIONAL_CODE#USES',
])(
  'what this version stores of %s with groups, holds, reviews and payouts is kept as an item for those that follow',
  (kind) => {
    const own = stored.get(kind) ?? [];
    const kept = frozen(kind);
    expect(own.length).toBeGreaterThan(0);
    const fields = new Set(kept.flatMap(fieldsOfItem));
    const sets = new Set(kept.map(namesIn));
    for (const item of own) {
      const unknown = fieldsOfItem(item).filter((field) => !fields.has(field));
      expect(unknown, addIt(kind, item)).toEqual([]);
      if (!sets.has(namesIn(item))) expect.fail(addIt(kind, item));
    }
  },
);
