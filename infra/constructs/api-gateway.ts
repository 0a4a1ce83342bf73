import { Duration } from 'aws-cdk-lib';
import { CorsHttpMethod, HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Construct } from 'constructs';
import type { Need } from '../../shared/contract/needs.ts';
import { allNeedsOf, functionNameOf, type Operation } from '../../shared/contract/operation.ts';
import { apiBasePath, operationsByPath } from '../../shared/contract/operations.ts';
import { HouseFunction } from './house-function.ts';
import { pascalCase } from './pascal-case.ts';
import type { Resources } from './resources.ts';

/** API Gateway stops waiting at 30 seconds; the function should be the first to say so. */
const timeoutSeconds = 29;

/** What the Lambda of a path needs: all that its operations do. */
const needsOf = (operations: readonly Operation[]): Need[] => [...new Set(operations.flatMap(allNeedsOf))].sort();

/** The HTTP API: each path of the contract to its own Lambda, which answers all methods; any other to `not-found`. */
export class ApiGateway extends HttpApi {
  constructor(scope: Construct, resources: Resources) {
    super(scope, 'Api', {
      apiName: `affiliate-program-${resources.settings.stage}`,
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
    const route = (key: HttpRouteKey, name: string, needs: readonly Need[]): void => {
      const target = new HouseFunction(this, pascalCase(name), { name, needs, timeoutSeconds, resources });
      const integration = new HttpLambdaIntegration(`${pascalCase(name)}Integration`, target);
      new HttpRoute(this, `${pascalCase(name)}Route`, { httpApi: this, routeKey: key, integration });
    };
    for (const [path, operations] of operationsByPath) {
      route(HttpRouteKey.with(`${apiBasePath}${path}`, HttpMethod.ANY), functionNameOf(path), needsOf(operations));
    }
    route(HttpRouteKey.DEFAULT, 'not-found', []);
  }
}
