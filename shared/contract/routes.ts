import { apiBasePath, connectorBasePath } from './base-paths.ts';
import type { Need } from './needs.ts';
import { allNeedsOf, functionNameOf, type Operation } from './operation.ts';
import { connectorOnly, connectorTwins, operations } from './operations.ts';
import { allNeedsOfPage } from './page.ts';
import { pages } from './pages/pages.ts';

/**
 * One path of the product and the Lambda that answers all methods there. API Gateway, the functions and what they may do
 * follow from the list of routes: a new operation or page needs no edit anywhere else.
 */
export interface Route {
  /** The whole path, with `{id}` where a segment varies, as API Gateway has it. */
  readonly path: `/${string}`;
  /** The Lambda, and its file in `functions/`. Routes may share one. */
  readonly functionName: string;
  /** What the Lambda may touch for the sake of this route. */
  readonly needs: readonly Need[];
}

/** Below a base path, a route for each path of some operations. */
const operationRoutes = (basePath: `/${string}`, served: readonly Operation[], functionPrefix = ''): Route[] =>
  [...Map.groupBy(served, ({ path }) => path)].map(([path, own]) => ({
    path: `${basePath}${path}`,
    functionName: `${functionPrefix}${functionNameOf(path)}`,
    needs: own.flatMap(allNeedsOf),
  }));

/** The web application: at the root, a Lambda an area. */
const pageRoutes: readonly Route[] = [...Map.groupBy(pages, ({ path }) => path)].flatMap(([path, [page, ...others]]) =>
  page ? [{ path, functionName: page.function, needs: [page, ...others].flatMap(allNeedsOfPage) }] : [],
);

/** Every route of the product. `connectorPlatform` is the segment that the connector's paths have, set at deploy. */
export const routesOf = (connectorPlatform: string): readonly Route[] => [
  ...operationRoutes(apiBasePath, operations),
  ...operationRoutes(connectorBasePath(connectorPlatform), connectorTwins),
  ...operationRoutes(connectorBasePath(connectorPlatform), connectorOnly, 'connector-'),
  ...pageRoutes,
];

/** The Lambdas behind routes: their names, each with its routes and all that it needs. */
export const functionsOf = (
  served: readonly Route[],
): { name: string; routes: readonly Route[]; needs: readonly Need[] }[] =>
  [...Map.groupBy(served, ({ functionName }) => functionName)].map(([name, own]) => ({
    name,
    routes: own,
    needs: [...new Set(own.flatMap(({ needs }) => needs))].sort(),
  }));
