import { Duration } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  type HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Need } from '../../shared/contract/needs.ts';
import { functionsOf, routesOf } from '../../shared/contract/routes.ts';
import { concurrencyOfRoutes } from '../concurrency.ts';
import type { Settings } from '../settings.ts';
import { HouseFunction } from './house-function.ts';
import { pascalCase } from './pascal-case.ts';
import { removalPolicyOf } from './removal-policy.ts';
import type { Resources } from './resources.ts';

/** API Gateway stops waiting at 30 seconds; the function should be the first to say so. */
const timeoutSeconds = 29;

/** Names a route by its path: `/programs/{programId}` is `ProgramsProgramIdRoute`. */
const routeId = (path: string): string => `${pascalCase(path.replaceAll(/[^A-Za-z0-9]/g, '-'))}Route`;

/** One line a request. No path and no query, which hold ids, emails and cursors of programs: the route says enough. */
const accessLogFormat = JSON.stringify({
  requestId: '$context.requestId',
  time: '$context.requestTime',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  route: '$context.routeKey',
  status: '$context.status',
  latency: '$context.responseLatency',
  functionLatency: '$context.integrationLatency',
  responseBytes: '$context.responseLength',
  error: '$context.error.message',
  functionError: '$context.integrationErrorMessage',
});

/** The HTTP API: each route of the contract to its Lambda, which handles all methods; any other path to `not-found`. */
export class ApiGateway extends HttpApi {
  readonly accessLogs: LogGroup;
  readonly servedStage: HttpStage;

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
    this.accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: settings.logRetentionDays,
      removalPolicy: removalPolicyOf(settings),
    });
    this.servedStage = this.addStage('DefaultStage', {
      autoDeploy: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLogs),
        format: AccessLogFormat.custom(accessLogFormat),
      },
      ...(rateLimit > 0 && { throttle: { rateLimit, burstLimit } }),
    });
  }

  /** Makes the Lambdas and the routes to them: apart from the API, whose address they are told. */
  serve(resources: Resources): void {
    const { settings } = resources;
    const functionOf = (name: string, needs: readonly Need[], reservedConcurrency = 0): IFunction =>
      new HouseFunction(this, pascalCase(name), { name, needs, timeoutSeconds, resources, reservedConcurrency }).live;
    const route = (id: string, routeKey: HttpRouteKey, integration: HttpLambdaIntegration): void => {
      new HttpRoute(this, id, { httpApi: this, routeKey, integration });
    };
    for (const { name, needs, routes: own } of functionsOf(routesOf(settings.connectorPlatform))) {
      const target = functionOf(name, needs, concurrencyOfRoutes(own, settings));
      // One permission a function, not one a route: a stack holds 500 resources.
      const integration = new HttpLambdaIntegration(`${pascalCase(name)}Integration`, target, {
        scopePermissionToRoute: false,
      });
      for (const { path } of own) route(routeId(path), HttpRouteKey.with(path, HttpMethod.ANY), integration);
    }
    // A permission for all routes would not match the default route, which has no method.
    const notFound = new HttpLambdaIntegration('NotFoundIntegration', functionOf('not-found', ['web:serve']));
    route('NotFoundRoute', HttpRouteKey.DEFAULT, notFound);
  }
}
