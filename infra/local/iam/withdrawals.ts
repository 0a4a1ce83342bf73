import * as z from 'zod';
import { type AccessRequest, evaluate } from './evaluate.ts';
import type { Statement } from './policy.ts';

const Withdrawal = z.strictObject({
  /** What reports call it. Several withdrawals may share one. */
  name: z.string(),
  functionName: z.string(),
  actions: z.array(z.string()),
  /** Patterns of ARNs. */
  resources: z.array(z.string()),
  /** Patterns of partition keys; absent for all. */
  leadingKeys: z.array(z.string()).optional(),
  /** The methods and paths, such as `POST /things`, for which it is withdrawn; absent for all. */
  routes: z.array(z.string()).optional(),
});

/**
 * A permission that is taken from a function while the stack runs, whatever its role allows. Tests that should fail
 * without the permission show it that way.
 */
export type Withdrawal = z.output<typeof Withdrawal>;

export interface Withdrawals {
  /** Takes the place of all that was withdrawn before. Throws where the body is not `{ withdrawals: [...] }`. */
  replace(body: unknown): void;
  /** The name of the withdrawal that refuses a request of a function; undefined where none does. */
  refusing(functionName: string, request: AccessRequest, route: string | undefined): string | undefined;
}

export function createWithdrawals(): Withdrawals {
  let byFunction: ReadonlyMap<string, readonly Withdrawn[]> = new Map();
  return {
    replace: (body) => {
      const { withdrawals } = z.strictObject({ withdrawals: z.array(Withdrawal) }).parse(body);
      const grouped = Map.groupBy(withdrawals, ({ functionName }) => functionName);
      byFunction = new Map([...grouped].map(([name, own]) => [name, own.map(withdrawn)]));
    },
    refusing: (functionName, request, route) =>
      byFunction
        .get(functionName)
        ?.find(
          ({ routes, statement }) =>
            (!routes || routes.includes(route ?? '')) && evaluate([statement], request).outcome === 'EXPLICIT_DENY',
        )?.name,
  };
}

interface Withdrawn {
  readonly name: string;
  readonly routes: readonly string[] | undefined;
  readonly statement: Statement;
}

const withdrawn = (withdrawal: Withdrawal): Withdrawn => ({
  name: withdrawal.name,
  routes: withdrawal.routes,
  statement: statementOf(withdrawal),
});

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
