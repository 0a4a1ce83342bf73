import * as z from 'zod';
import type { Statement } from './policy.ts';

const Withdrawal = z.strictObject({
  functionName: z.string(),
  actions: z.array(z.string()),
  /** Patterns of ARNs. */
  resources: z.array(z.string()),
  /** Patterns of partition keys; absent for all. */
  leadingKeys: z.array(z.string()).optional(),
});

/**
 * A permission that is taken from a function while the stack runs, whatever its role allows. Tests that should fail
 * without the permission show it that way.
 */
export type Withdrawal = z.output<typeof Withdrawal>;

export interface Withdrawals {
  /** Takes the place of all that was withdrawn before. Throws where the body is not `{ withdrawals: [...] }`. */
  replace(body: unknown): void;
  /** What is denied to a function now. */
  of(functionName: string): readonly Statement[];
}

export function createWithdrawals(): Withdrawals {
  let byFunction: ReadonlyMap<string, readonly Statement[]> = new Map();
  return {
    replace: (body) => {
      const { withdrawals } = z.strictObject({ withdrawals: z.array(Withdrawal) }).parse(body);
      const grouped = Map.groupBy(withdrawals, ({ functionName }) => functionName);
      byFunction = new Map([...grouped].map(([name, own]) => [name, own.map(statementOf)]));
    },
    of: (functionName) => byFunction.get(functionName) ?? [],
  };
}

const statementOf = ({ actions, resources, leadingKeys }: Withdrawal): Statement => ({
  effect: 'Deny',
  actions,
  notActions: [],
  resources,
  notResources: [],
  principals: [],
  conditions: leadingKeys
    ? [{ operator: 'ForAnyValue:StringLike', key: 'dynamodb:LeadingKeys', values: leadingKeys }]
    : [],
});
