import { Duration } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { CorsHttpMethod, HttpApi, type HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { removalPolicyOf } from './removal-policy.ts';

/** One line a request. No path and no query, which hold ids, emails and cursors of programs: the route says enough. Nothing about who asks, who may be a visitor. */
const accessLogFormat = JSON.stringify({
  requestId: '$context.requestId',
  time: '$context.requestTime',
  method: '$context.httpMethod',
  route: '$context.routeKey',
  status: '$context.status',
  latency: '$context.responseLatency',
  functionLatency: '$context.integrationLatency',
  responseBytes: '$context.responseLength',
  error: '$context.error.message',
  functionError: '$context.integrationErrorMessage',
});

const stageOf = ({ throttleRate: rateLimit, throttleBurst: burstLimit }: Settings, accessLogs: LogGroup) => ({
  autoDeploy: true,
  accessLogSettings: {
    destination: new LogGroupLogDestination(accessLogs),
    format: AccessLogFormat.custom(accessLogFormat),
  },
  ...(rateLimit > 0 && { throttle: { rateLimit, burstLimit } }),
});

/** The HTTP API, whose routes each surface adds. */
export class ApiGateway extends HttpApi {
  readonly accessLogs: LogGroup;
  readonly servedStage: HttpStage;

  constructor(scope: Construct, settings: Settings) {
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
    this.servedStage = this.addStage('DefaultStage', stageOf(settings, this.accessLogs));
  }
}

/** An API of redirects alone, for a domain of their own: it has no other route. */
export class LinkGateway extends HttpApi {
  readonly servedStage: HttpStage;

  constructor(scope: Construct, settings: Settings, accessLogs: LogGroup) {
    super(scope, 'LinkApi', { createDefaultStage: false, apiName: `affiliate-program-links-${settings.stage}` });
    this.servedStage = this.addStage('DefaultStage', stageOf(settings, accessLogs));
  }
}
