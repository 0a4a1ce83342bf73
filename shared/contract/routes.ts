import { assetAddresses } from './asset-images.ts';
import { apiBasePath, connectorBasePath } from './base-paths.ts';
import { mailAddresses } from './mail-addresses.ts';
import type { Need } from './needs.ts';
import { allNeedsOf, functionNameOf, type Operation } from './operation.ts';
import { connectorOnly, connectorVariants, operations } from './operations.ts';
import { allNeedsOfPage, routePathOfPage } from './page.ts';
import { documentationPages } from './pages/documentation.ts';
import { pages } from './pages/pages.ts';
import { publicAddresses } from './tracking.ts';

type Surface = 'api' | 'web';

/** One path and the Lambda behind all of its methods. API Gateway, functions and permissions follow from the routes. */
export interface Route {
  readonly surface: Surface;
  readonly path: `/${string}`;
  readonly functionName: string;
  readonly needs: readonly Need[];
}

const operationRoutes = (basePath: `/${string}`, served: readonly Operation[], functionPrefix = ''): Route[] =>
  [...Map.groupBy(served, ({ path }) => path)].map(([path, own]) => ({
    surface: 'api',
    path: `${basePath}${path}`,
    functionName: `${functionPrefix}${functionNameOf(path)}`,
    needs: own.flatMap(allNeedsOf),
  }));

const pageRoutes: readonly Route[] = [...Map.groupBy(pages, routePathOfPage)].map(([path, own]) => {
  const [functionName, ...others] = new Set(own.map((page) => page.function));
  if (!functionName || others.length > 0) throw new Error(`The pages at ${path} belong to more than one Lambda`);
  return { surface: 'web', path, functionName, needs: own.flatMap(allNeedsOfPage) };
});

const documentationRoutes: readonly Route[] = documentationPages.map(({ path, function: functionName, needs }) => ({
  surface: 'web',
  path,
  functionName,
  needs,
}));

const publicRoutes: readonly Route[] = [...publicAddresses, ...mailAddresses, ...assetAddresses].map(
  ({ path, function: functionName, needs }) => ({
    surface: 'web',
    path,
    functionName,
    needs,
  }),
);

/** `connectorPlatform` is the segment of the connector's paths, set at deploy. */
export const routesOf = (connectorPlatform: string): readonly Route[] => [
  ...operationRoutes(apiBasePath, operations),
  ...operationRoutes(connectorBasePath(connectorPlatform), connectorVariants),
  ...operationRoutes(connectorBasePath(connectorPlatform), connectorOnly, 'connector-'),
  ...pageRoutes,
  ...documentationRoutes,
  ...publicRoutes,
];

export const functionsOf = (
  served: readonly Route[],
): { name: string; routes: readonly Route[]; needs: readonly Need[] }[] =>
  [...Map.groupBy(served, ({ functionName }) => functionName)].map(([name, own]) => ({
    name,
    routes: own,
    needs: [...new Set(own.flatMap(({ needs }) => needs))].sort(),
  }));
