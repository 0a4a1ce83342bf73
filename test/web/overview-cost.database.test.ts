import { expect, it } from 'vitest';
import { lastDaysIn } from '../../shared/platform/time/days.ts';
import { readOverview } from '../../shared/web/pages/overview-figures.ts';
import { costOf } from '../support/capacity.ts';
import { at, newProgram, now, storeAffiliate, storeSale } from '../support/domain.ts';

// What a view costs must not grow with the number of sales, whatever the period.

const program = newProgram();

it.each([7, 90, 366])(
  'an overview of %i days costs at most 12 read units, however many sales there are',
  async (days) => {
    const affiliate = await storeAffiliate(program);
    const storeSales = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, made) => storeSale(program, affiliate.id, { createdAt: at(-made) })),
      );
    const view = () =>
      costOf(() =>
        readOverview(program.id, { period: lastDaysIn('UTC', days, now), before: undefined, preset: undefined }, now),
      );
    await storeSales(10);
    const few = await view();
    await storeSales(60);
    const many = await view();
    expect(many).toEqual(few);
    expect(many).toMatchObject({ writeUnits: 0 });
    expect(many.readUnits).toBeGreaterThan(2);
    expect(many.readUnits).toBeLessThanOrEqual(12);
  },
);
