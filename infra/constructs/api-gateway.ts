import { Duration } from 'aws-cdk-lib';
import { CorsHttpMethod, HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Construct } from 'constructs';
import type { Need } from '../../shared/contract/needs.ts';
import { functionsOf, routesOf } from '../../shared/contract/routes.ts';
import type { Settings } from '../settings.ts';
import { HouseFunction } from './house-function.ts';
import { pascalCase } from './pascal-case.ts';
import type { Resources } from './resources.ts';

/** API Gateway stops waiting at 30 seconds; the function should be the first to say so. */
const timeoutSeconds = 29;

/** Names a route by its path: `/programs/{programId}` is `ProgramsProgramIdRoute`. */
const routeId = (path: string): string => `${pascalCase(path.replaceAll(/[^A-Za-z0-9]+/g, '-'))}Route`;

/** The HTTP API: each route of the contract to its Lambda, which handles all methods; any other path to `not-found`. */
export class ApiGateway extends HttpApi {
  constructor(scope: Construct, settings: Settings) {
    const { throttleRate: rateLimit, throttleBurst: burstLimit } = settings;
    super(scope, 'Api', {
      createDefaultStage: false,
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
          'Next-After',
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
    this.addStage('DefaultStage', { autoDeploy: true, ...(rateLimit > 0 && { throttle: { rateLimit, burstLimit } }) });
  }

  /** Makes the Lambdas and the routes to them: apart from the API, whose address they are told. */
  serve(resources: Resources): void {
    const { settings } = resources;
    const lambda = (name: string, needs: readonly Need[], reservedConcurrency = 0): HttpLambdaIntegration => {
      const props = { name, needs, timeoutSeconds, resources, reservedConcurrency };
      const target = new HouseFunction(this, pascalCase(name), props);
      return new HttpLambdaIntegration(`${pascalCase(name)}Integration`, target);
    };
    const route = (id: string, routeKey: HttpRouteKey, integration: HttpLambdaIntegration): void => {
      new HttpRoute(this, id, { httpApi: this, routeKey, integration });
    };
    for (const { name, needs, routes: own } of functionsOf(routesOf(settings.connectorPlatform))) {
      const isOfApi = own.some(({ path }) => path.startsWith('/api/'));
      const integration = lambda(name, needs, isOfApi ? settings.apiConcurrency : 0);
      for (const { path } of own) route(routeId(path), HttpRouteKey.with(path, HttpMethod.ANY), integration);
    }
    route('NotFoundRoute', HttpRouteKey.DEFAULT, lambda('not-found', ['web:serve']));
  }
}
