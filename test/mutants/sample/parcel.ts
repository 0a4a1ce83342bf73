// Not of the product: code whose mutants test/mutants/mutants.commands.test.ts knows, with tests that leave some of them unnoticed.

/** Countries without customs. */
const nearby = ['DE', 'FR', 'NL'];

export const hasCustoms = (country: string): boolean => !nearby.includes(country);

/** In cents; free from 50.00 on. */
export const postage = (totalCents: number): number => (totalCents >= 5000 ? 0 : 490);

/** How many boxes of 10 hold so many items. */
export const boxes = (items: number): number => {
  let count = 0;
  while (items > count * 10) count++;
  return count;
};

export const surcharge = (weight: number): number => weight * 2;
