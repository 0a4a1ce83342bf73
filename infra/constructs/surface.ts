import { NestedStack } from 'aws-cdk-lib';
import { type HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Need } from '../../shared/contract/needs.ts';
import { functionsOf, type Route, routesOf } from '../../shared/contract/routes.ts';
import { followLink } from '../../shared/contract/tracking.ts';
import { concurrencyOfRoutes } from '../concurrency.ts';
import { pascalCase } from './pascal-case.ts';
import type { Resources } from './resources.ts';
import { ServiceFunction } from './service-function.ts';

/** API Gateway stops waiting at 30 seconds; the function should be the first to say so. */
const timeoutSeconds = 29;

/** Names a route by its path: `/programs/{programId}` is `ProgramsProgramIdRoute`. */
const routeId = (path: string): string => `${pascalCase(path.replaceAll(/[^A-Za-z0-9]/g, '-'))}Route`;

const { path: linkPath, function: linkFunction } = followLink;

/** On a domain of links `/r` is optional, because there are no other paths. */
const addLinkRoutes = (scope: Construct, httpApi: HttpApi, live: IFunction): void => {
  const integration = new HttpLambdaIntegration('LinkIntegration', live, { scopePermissionToRoute: false });
  for (const [id, path] of Object.entries({ ShortLinkRoute: linkPath.slice('/r'.length), LinkRoute: linkPath }))
    new HttpRoute(scope, id, { httpApi, routeKey: HttpRouteKey.with(path, HttpMethod.ANY), integration });
};

/** A Lambda behind some routes; none is for what has no route of its own. */
interface Served {
  readonly name: string;
  readonly needs: readonly Need[];
  readonly routes: readonly Route[];
}

/** The Lambdas of one surface, and the routes of the HTTP API that lead to them: a stack of its own holds 500 resources more. */
class Surface extends NestedStack {
  constructor(scope: Construct, id: string, api: HttpApi, served: readonly Served[], resources: Resources) {
    super(scope, id, { description: `Affiliate program API, stage ${resources.settings.stage}: ${id}` });
    for (const { name, needs, routes } of served) {
      const reservedConcurrency = concurrencyOfRoutes(routes, resources.settings);
      const functionId = pascalCase(name);
      const { live } = new ServiceFunction(this, functionId, {
        name,
        needs,
        timeoutSeconds,
        resources,
        reservedConcurrency,
      });
      // One permission a function, not one a route. For all routes, it would not match the default route, which has no method.
      const integration = new HttpLambdaIntegration(`${functionId}Integration`, live, {
        scopePermissionToRoute: routes.length === 0,
      });
      const route = (routeOwnId: string, routeKey: HttpRouteKey) =>
        new HttpRoute(this, routeOwnId, { httpApi: api, routeKey, integration });
      for (const { path } of routes) route(routeId(path), HttpRouteKey.with(path, HttpMethod.ANY));
      if (routes.length === 0) route(`${functionId}Route`, HttpRouteKey.DEFAULT);
      if (name === linkFunction && resources.links) addLinkRoutes(this, resources.links.api, live);
    }
    resources.gradualDeployment?.watch(this, resources.alarmTopic);
  }
}

/** Each route of the contract to its Lambda, which handles all methods; any other path to `not-found`. */
export const addSurfaces = (scope: Construct, api: HttpApi, resources: Resources): void => {
  const served = functionsOf(routesOf(resources.settings.connectorPlatform));
  const of = (surface: Route['surface']) => served.filter(({ routes: [first] }) => first?.surface === surface);
  const notFound: Served = { name: 'not-found', needs: ['web:serve'], routes: [] };
  new Surface(scope, 'ApiFunctions', api, of('api'), resources);
  new Surface(scope, 'WebFunctions', api, [...of('web'), notFound], resources);
};
