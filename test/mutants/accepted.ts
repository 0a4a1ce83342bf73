/** A mutant that no test can notice, because the changed code does the same. */
export interface Accepted {
  /** As the report names it. */
  mutant: string;
  reason: string;
}

/** Equivalent mutants only: others need a test, or simpler code. An entry that is no mutant any more, or was noticed, fails the run. */
export const accepted: readonly Accepted[] = [
  {
    mutant: 'shared/platform/money/money.ts | known !== undefined -> false',
    reason: 'The digits are computed anew each time, and are the same.',
  },
  {
    mutant: 'shared/platform/money/money.ts | digitsByCurrency.set(currency, digits); -> ;',
    reason: 'The digits are computed anew each time, and are the same.',
  },
  {
    mutant: 'shared/domain/affiliates/responses.ts | one.id < other.id -> one.id <= other.id',
    reason: 'No two links of an affiliate have the same id: ids are the keys of an object.',
  },
];
