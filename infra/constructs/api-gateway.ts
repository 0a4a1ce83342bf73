import { Duration } from 'aws-cdk-lib';
import { CorsHttpMethod, HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Construct } from 'constructs';
import type { Need } from '../../shared/contract/needs.ts';
import { allNeedsOf, functionNameOf, type Operation } from '../../shared/contract/operation.ts';
import { apiBasePath, operationsByPath } from '../../shared/contract/operations.ts';
import { allNeedsOfPage } from '../../shared/contract/page.ts';
import { pagesByFunction } from '../../shared/contract/pages/pages.ts';
import type { Settings } from '../settings.ts';
import { HouseFunction } from './house-function.ts';
import { pascalCase } from './pascal-case.ts';
import type { Resources } from './resources.ts';

/** API Gateway stops waiting at 30 seconds; the function should be the first to say so. */
const timeoutSeconds = 29;

/** What the Lambda of a path needs: all that its operations do. */
const needsOf = (operations: readonly Operation[]): Need[] => [...new Set(operations.flatMap(allNeedsOf))].sort();

const pathKey = (path: `/${string}`): HttpRouteKey => HttpRouteKey.with(path, HttpMethod.ANY);

/**
 * The HTTP API: each path of the main API to its own Lambda, which answers all methods, and the pages of an area of the
 * web application to one; any other path to `not-found`.
 */
export class ApiGateway extends HttpApi {
  constructor(scope: Construct, settings: Settings) {
    super(scope, 'Api', {
      apiName: `affiliate-program-${settings.stage}`,
      corsPreflight: {
        allowOrigins: ['*'],
        allowMethods: [
          CorsHttpMethod.GET,
          CorsHttpMethod.POST,
          CorsHttpMethod.PUT,
          CorsHttpMethod.PATCH,
          CorsHttpMethod.DELETE,
        ],
        allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'if-match'],
        exposeHeaders: [
          'Link',
          'ETag',
          'Retry-After',
          'RateLimit-Limit',
          'RateLimit-Remaining',
          'RateLimit-Reset',
          'x-request-id',
          'Idempotent-Replayed',
        ],
        maxAge: Duration.days(1),
      },
    });
  }

  /** Makes the Lambdas and the routes to them: apart from the API, whose address they are told. */
  serve(resources: Resources): void {
    const lambda = (name: string, needs: readonly Need[]): HttpLambdaIntegration => {
      const target = new HouseFunction(this, pascalCase(name), { name, needs, timeoutSeconds, resources });
      return new HttpLambdaIntegration(`${pascalCase(name)}Integration`, target);
    };
    const route = (name: string, routeKey: HttpRouteKey, integration: HttpLambdaIntegration): void => {
      new HttpRoute(this, `${pascalCase(name)}Route`, { httpApi: this, routeKey, integration });
    };
    for (const [path, operations] of operationsByPath) {
      const name = functionNameOf(path);
      route(name, pathKey(`${apiBasePath}${path}`), lambda(name, needsOf(operations)));
    }
    for (const [name, pages] of pagesByFunction) {
      const integration = lambda(name, [...new Set(pages.flatMap(allNeedsOfPage))].sort());
      for (const [path, [page]] of Map.groupBy(pages, (page) => page.path)) {
        if (page) route(page.id, pathKey(path), integration);
      }
    }
    route('not-found', HttpRouteKey.DEFAULT, lambda('not-found', []));
  }
}
