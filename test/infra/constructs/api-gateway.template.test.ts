import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleFolder } from '../../../infra/bundle.ts';
import { apiBasePath, connectorBasePath } from '../../../shared/contract/base-paths.ts';
import type { Need } from '../../../shared/contract/needs.ts';
import { allNeedsOf, functionNameOf } from '../../../shared/contract/operation.ts';
import { connectorVariants, operations } from '../../../shared/contract/operations.ts';
import { allNeedsOfPage, routePathOfPage } from '../../../shared/contract/page.ts';
import { pages } from '../../../shared/contract/pages/pages.ts';
import { routesOf } from '../../../shared/contract/routes.ts';
import {
  type DeployedFunction,
  type LambdaWithNeeds,
  lambdaOfWorker,
  lambdasByRoute,
  lambdasWithNeeds,
} from './deployed-function.ts';
import { readable, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

const routes = routesOf('automation');
let template: Template;
let prod: Template;
let functions: readonly LambdaWithNeeds[];
let byRoute: ReadonlyMap<string, string>;

beforeAll(() => {
  template = templateOf(settings.local);
  prod = templateOf(settings.production);
  functions = lambdasWithNeeds(template);
  byRoute = lambdasByRoute(template);
});

/** What a function needs, and whether it is behind a path. */
const behind = (path: string): DeployedFunction & { needs: readonly Need[] } => {
  const logicalId = byRoute.get(`ANY ${path}`);
  const found = functions.find(({ deployed }) => deployed.logicalId === logicalId);
  if (!found) throw new Error(`The template has no route ${path}`);
  return { ...found.deployed, needs: found.needs };
};

describe('routes', () => {
  it.each(operations)('$id has a route to a Lambda of its path alone, with what it needs', (operation) => {
    const path = `${apiBasePath}${operation.path}`;
    const { logicalId, needs } = behind(path);
    expect(needs).toEqual(expect.arrayContaining([...new Set(allNeedsOf(operation))]));
    const others = operations.filter((other) => functionNameOf(other.path) !== functionNameOf(operation.path));
    expect(others.map((other) => behind(`${apiBasePath}${other.path}`).logicalId)).not.toContain(logicalId);
  });

  it.each(connectorVariants)('$id has a route to the Lambda of its path on the main API', ({ path }) => {
    const variant = behind(`${connectorBasePath('automation')}${path}`);
    expect(variant.logicalId).toBe(behind(`${apiBasePath}${path}`).logicalId);
  });

  it.each(pages)('the page $id has a route to the Lambda of its area, with what it needs', (page) => {
    const { logicalId, needs } = behind(routePathOfPage(page));
    expect(needs).toEqual(expect.arrayContaining([...new Set(allNeedsOfPage(page))]));
    const area = pages.filter((other) => other.function === page.function);
    expect(new Set(area.map((one) => behind(routePathOfPage(one)).logicalId))).toEqual(new Set([logicalId]));
  });

  it('every route and every worker runs the bundle of its own file', () => {
    for (const { name, deployed } of functions) {
      expect(deployed.codeFolder).toBe(join(bundleFolder, name));
    }
  });

  it('there is no Lambda and no route that the contract does not ask for', () => {
    template.resourceCountIs('AWS::Lambda::Function', functions.length);
    template.resourceCountIs('AWS::ApiGatewayV2::Route', routes.length + 1);
  });

  it('the paths of the connector have the segment that a stage sets', () => {
    expect(lambdasByRoute(prod).has('ANY /api/zapier/webhooks/{id}')).toBe(true);
    expect(JSON.stringify(prod.toJSON())).not.toContain('/api/automation/');
  });

  it('a browser may call from any origin, without credentials, and read our headers', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: {
        AllowOrigins: ['*'],
        AllowCredentials: Match.absent(),
        AllowMethods: Match.arrayWith([...new Set(operations.map(({ method }) => method))].sort(byOurOrder)),
        ExposeHeaders: Match.arrayWith(['Link', 'ETag', 'Retry-After', 'RateLimit-Limit', 'x-request-id']),
      },
    });
  });
});

describe('throttling and concurrency', () => {
  const reserved = (of: Template): Record<string, number> =>
    Object.fromEntries(
      Object.entries(of.findResources('AWS::Lambda::Function')).flatMap(([id, { Properties }]) =>
        Properties.ReservedConcurrentExecutions === undefined ? [] : [[id, Properties.ReservedConcurrentExecutions]],
      ),
    );

  it('are those of the account on the local stack', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', { DefaultRouteSettings: Match.absent() });
    expect(reserved(template)).toEqual({});
  });

  it('in production are limited for everybody together, and reserved for the API and for workers', () => {
    prod.resourceCountIs('AWS::ApiGatewayV2::Stage', 1);
    prod.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 },
    });
    const prodByRoute = lambdasByRoute(prod);
    const behindApi = routesOf(settings.production.connectorPlatform)
      .filter(({ path }) => path.startsWith('/api/'))
      .map(({ path }) => prodByRoute.get(`ANY ${path}`));
    const each = Math.floor(settings.production.apiConcurrency / new Set(behindApi).size);
    const wanted = Object.fromEntries(behindApi.map((id) => [id, each]));
    const ofWorkers = Object.entries({
      'fan-out-events': 40,
      'deliver-webhook': 100,
      'retry-deliveries': 5,
      'connect-promotional-code': 10,
      'update-totals': 10,
      'finish-deletion': 10,
      'create-automatic-codes': 5,
      'prepare-payout-batch': 5,
      'count-clicks': 2,
      'run-import': 5,
      'export-program': 5,
      'erase-person': 5,
      'send-mail': 2,
      'mail-feedback': 2,
      'mail-first-sale': 2,
      'handle-portal-request': 5,
    }).map(([id, count]) => [lambdaOfWorker(id, prod), count]);
    expect(reserved(prod)).toEqual({ ...wanted, ...Object.fromEntries(ofWorkers) });
    // An account has 1,000, of which 100 cannot be reserved.
    expect(Object.values(reserved(prod)).reduce((sum, one) => sum + one)).toBeLessThanOrEqual(900);
  });
});

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const byOurOrder = (one: string, other: string): number => methodOrder.indexOf(one) - methodOrder.indexOf(other);

describe('the stage of the API', () => {
  it.each([
    { stage: 'local', throttle: undefined, template: () => template },
    { stage: 'prod', throttle: { ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 }, template: () => prod },
  ])('lets everybody together send so much in $stage: $throttle', ({ throttle, template }) => {
    const [stage, ...others] = resources(template(), 'AWS::ApiGatewayV2::Stage').map(([, properties]) => properties);
    expect(stage?.DefaultRouteSettings).toEqual(throttle);
    expect(stage).toMatchObject({ StageName: '$default', AutoDeploy: true });
    expect(others).toEqual([]);
  });

  it('every request leaves a line with its route, and with no path, query or header, and nothing about who asks', () => {
    const [stage] = Object.values(prod.findResources('AWS::ApiGatewayV2::Stage'));
    const { Format, DestinationArn } = stage?.Properties.AccessLogSettings ?? {};
    expect(prod.findResources('AWS::Logs::LogGroup')).toHaveProperty(DestinationArn['Fn::GetAtt'][0]);
    const { requestId, route, ...others } = JSON.parse(Format);
    expect(Format).not.toMatch(/identity|sourceIp|userAgent|authorizer/i);
    expect({ requestId, route }).toEqual({ requestId: '$context.requestId', route: '$context.routeKey' });
    expect(Object.keys(others)).toEqual([
      'time',
      'method',
      'status',
      'latency',
      'functionLatency',
      'responseBytes',
      'error',
      'functionError',
    ]);
    expect(Format).not.toMatch(/\$context\.(path|rawPath|protocol|authorizer)|queryString|header/i);
  });

  it('lets browsers remember a day long what they may send', () => {
    const [, api] = resources(prod, 'AWS::ApiGatewayV2::Api')[0] ?? [];
    expect(api?.CorsConfiguration).toEqual({
      AllowOrigins: ['*'],
      AllowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      AllowHeaders: ['authorization', 'content-type', 'idempotency-key', 'if-match'],
      ExposeHeaders: [
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
      MaxAge: 24 * 60 * 60,
    });
  });
});

describe('an integration', () => {
  it('lets the API call its function, by all routes or by the default route alone', () => {
    const permissions = resources(prod, 'AWS::Lambda::Permission').map(([, { SourceArn, FunctionName, ...others }]) => {
      expect(others).toEqual({ Action: 'lambda:InvokeFunction', Principal: 'apigateway.amazonaws.com' });
      return { of: readable(FunctionName), from: readable(SourceArn) };
    });
    const from = (routes: string) => `arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<Api>/${routes}`;
    const called = resources(prod, 'AWS::ApiGatewayV2::Integration').map(([, one]) => readable(one.IntegrationUri));
    expect(permissions.toSorted((one, other) => (one.of < other.of ? -1 : 1))).toEqual(
      called.toSorted().map((of) => ({ of, from: from(of.startsWith('<NotFound') ? '*/*' : '*/*/*') })),
    );
  });
});
