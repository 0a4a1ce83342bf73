import { secretsUsed } from '../../infra/constructs/access.ts';
import { apiBasePath, connectorBasePath } from '../../shared/contract/base-paths.ts';
import { connectorVariant } from '../../shared/contract/connector.ts';
import type { Need } from '../../shared/contract/needs.ts';
import { allNeedsOf, functionNameOf, type Operation } from '../../shared/contract/operation.ts';
import { connectorOnly, operations } from '../../shared/contract/operations.ts';
import { allNeedsOfPage, routePathOfPage, type WebPage } from '../../shared/contract/page.ts';
import { pages } from '../../shared/contract/pages/pages.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';

/** An operation, page or worker with what it may do. */
export interface NeedsOwner {
  /** The id of the operation, page or worker. */
  readonly owner: string;
  readonly functionName: string;
  /** The methods and paths that it serves, such as `POST /api/v1/sales`; absent for a worker. */
  readonly routes?: readonly string[];
  readonly needs: readonly Need[];
}

/** One need of an operation, page or worker. */
export interface DeclaredNeed extends Omit<NeedsOwner, 'needs'> {
  readonly need: Need;
}

const connectorPath = connectorBasePath('automation');

const mainOperation = (operation: Operation): NeedsOwner => {
  const { id, method, path } = operation;
  const variant = connectorVariant(operation);
  return {
    owner: id,
    functionName: functionNameOf(path),
    routes: [
      `${method} ${apiBasePath}${path}`,
      ...(variant ? [`${variant.method} ${connectorPath}${variant.path}`] : []),
    ],
    needs: allNeedsOf(operation),
  };
};

const connectorOperation = (operation: Operation): NeedsOwner => ({
  owner: operation.id,
  functionName: `connector-${functionNameOf(operation.path)}`,
  routes: [`${operation.method} ${connectorPath}${operation.path}`],
  needs: allNeedsOf(operation),
});

/** As the local stack traces it: the ids that a route's greedy variable stands for are `*`. */
const tracedPathOf = (page: WebPage): string => {
  const [start = '', isShared] = routePathOfPage(page).split('{page+}');
  return isShared === undefined ? page.path : start + page.path.slice(start.length).replaceAll(/\{\w+\}/g, '*');
};

/** Every operation, page and worker. A connector variant belongs to the operation that it comes from. */
export const needsOwners = (): NeedsOwner[] => {
  const everyWorker: readonly Worker[] = workers;
  return [
    ...operations.map(mainOperation),
    ...connectorOnly.map(connectorOperation),
    ...pages.map((page) => ({
      owner: page.id,
      functionName: page.function,
      routes: [`${page.method} ${tracedPathOf(page)}`],
      needs: allNeedsOfPage(page),
    })),
    ...everyWorker.map(({ id, needs }) => ({ owner: id, functionName: id, needs })),
  ];
};

/**
 * Each need of each of them, once. That of a secret belongs to the function: it reads a secret once for all of its
 * operations, so that only the first of them is seen to use it.
 */
export const declaredNeeds = (): DeclaredNeed[] => {
  const all = needsOwners().flatMap(({ needs, ...owner }) =>
    needs.map((need): DeclaredNeed => {
      const { functionName } = owner;
      return secretsUsed([need]).length > 0 ? { owner: functionName, functionName, need } : { ...owner, need };
    }),
  );
  return [...new Map(all.map((one) => [nameOfNeed(one), one])).values()];
};

/** Such as `sales/createSale SALE:create`, or `deliver-webhook EVENT:read` of a worker. */
export const nameOfNeed = ({ owner, functionName, need }: DeclaredNeed): string =>
  `${[...new Set([functionName, owner])].join('/')} ${need}`;
