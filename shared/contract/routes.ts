import type { Need } from './needs.ts';
import { allNeedsOf, functionNameOf, type Operation } from './operation.ts';
import { apiBasePath, operationsByPath } from './operations.ts';
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

const operationRoute = (path: `/${string}`, functionName: string, served: readonly Operation[]): Route => ({
  path,
  functionName,
  needs: served.flatMap(allNeedsOf),
});

/** The main API: below `/api/v1`, a Lambda a path. */
const mainRoutes: readonly Route[] = [...operationsByPath].map(([path, served]) =>
  operationRoute(`${apiBasePath}${path}`, functionNameOf(path), served),
);

/** The web application: at the root, a Lambda an area. */
const pageRoutes: readonly Route[] = [...Map.groupBy(pages, ({ path }) => path)].flatMap(([path, [page, ...others]]) =>
  page ? [{ path, functionName: page.function, needs: [page, ...others].flatMap(allNeedsOfPage) }] : [],
);

/** Every route of the product. */
export const routes: readonly Route[] = [...mainRoutes, ...pageRoutes];

/** The Lambdas behind routes: their names, each with its routes and all that it needs. */
export const functionsOf = (
  served: readonly Route[],
): { name: string; routes: readonly Route[]; needs: readonly Need[] }[] =>
  [...Map.groupBy(served, ({ functionName }) => functionName)].map(([name, own]) => ({
    name,
    routes: own,
    needs: [...new Set(own.flatMap(({ needs }) => needs))].sort(),
  }));
