import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleFolder } from '../../../infra/bundle.ts';
import { type AccessRequest, evaluate } from '../../../infra/local/iam/evaluate.ts';
import { readPolicy } from '../../../infra/local/iam/policy.ts';
import { apiBasePath, connectorBasePath } from '../../../shared/contract/base-paths.ts';
import { deadLettersVariable, isInLoop } from '../../../shared/contract/loops.ts';
import {
  type Need,
  queueNames,
  queueUrlVariable,
  secretNames,
  secretVariable,
  trafficKinds,
} from '../../../shared/contract/needs.ts';
import { allNeedsOf, functionNameOf } from '../../../shared/contract/operation.ts';
import { connectorVariants, operations } from '../../../shared/contract/operations.ts';
import { allNeedsOfPage, routePathOfPage } from '../../../shared/contract/page.ts';
import { pages } from '../../../shared/contract/pages/pages.ts';
import { routesOf } from '../../../shared/contract/routes.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import {
  type DeployedFunction,
  deployedFunction,
  type LambdaWithNeeds,
  lambdaOfWorker,
  lambdasByRoute,
  lambdasWithNeeds,
} from './deployed-function.ts';
import { alarmEmail, connectorPlatform, localTemplate, productionTemplate } from './template-of.ts';

const routes = routesOf('automation');
const everyWorker: readonly Worker[] = workers;
let template: Template;
let prod: Template;
let functions: readonly LambdaWithNeeds[];
let byRoute: ReadonlyMap<string, string>;

beforeAll(() => {
  template = localTemplate();
  prod = productionTemplate();
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

  it('in production are limited for everybody together, and reserved for the API and for deliveries alone', () => {
    prod.resourceCountIs('AWS::ApiGatewayV2::Stage', 1);
    prod.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 },
    });
    const prodByRoute = lambdasByRoute(prod);
    const behindApi = routesOf(connectorPlatform)
      .filter(({ path }) => path.startsWith('/api/'))
      .map(({ path }) => prodByRoute.get(`ANY ${path}`));
    const wanted = Object.fromEntries(behindApi.map((id) => [id, 30]));
    const deliverer = lambdaOfWorker('deliver-webhook', prod) ?? '';
    expect(reserved(prod)).toEqual({ ...wanted, [deliverer]: 100 });
    // An account has 1,000, of which 100 cannot be reserved.
    expect(Object.values(reserved(prod)).reduce((sum, one) => sum + one)).toBeLessThanOrEqual(900);
  });
});

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const byOurOrder = (one: string, other: string): number => methodOrder.indexOf(one) - methodOrder.indexOf(other);

describe('environment', () => {
  const isTraffic = (need: Need): boolean =>
    ['access', 'sign-ins', 'forms', ...trafficKinds].some((kind) => need.startsWith(`${kind}:`));
  const ofNoTable: readonly Need[] = [
    'cursors:sign',
    'api-url:use',
    'web:serve',
    'sign-in:use',
    'platforms:check',
    'metrics:publish',
    'webhooks:address',
    'webhooks:deliver',
    ...secretNames.map((name) => `${name}:use` as const),
  ];
  const isQueue = (need: Need): boolean => need.endsWith(':send');
  const reasons: Record<string, (need: Need) => boolean> = {
    RECORDS_TABLE: (need) => !isTraffic(need) && !isQueue(need) && !ofNoTable.includes(need),
    TRAFFIC_TABLE: isTraffic,
    APP_URL: (need) => need === 'web:serve',
    API_URL: (need) => need === 'cursors:sign' || need === 'api-url:use',
    SIGN_IN_ORIGIN: (need) => need === 'web:serve',
    SIGN_IN_ISSUER: (need) => need === 'sign-in:use',
    SIGN_IN_CLIENT_ID: (need) => need === 'sign-in:use',
    CONNECTOR_PLATFORM: (need) => need === 'platforms:check',
    CONNECT_HOSTS: (need) => need === 'platforms:check',
    POWERTOOLS_METRICS_NAMESPACE: (need) => need === 'metrics:publish',
    POWERTOOLS_SERVICE_NAME: (need) => need === 'metrics:publish',
    STAGE: (need) => need === 'health:check',
    CURSOR_KEY: (need) => need === 'cursors:sign',
    FORM_LIMIT: (need) => need === 'forms:change',
    RATE_LIMIT_READS: (need) => need === 'access:check',
    RATE_LIMIT_WRITES: (need) => need === 'access:check',
    WEBHOOK_EXTRA_HOSTS: (need) => need === 'webhooks:address',
    ...Object.fromEntries(secretNames.map((name) => [secretVariable(name), (need: Need) => need === `${name}:use`])),
    ...Object.fromEntries(
      queueNames.map((queue) => [queueUrlVariable(queue), (need: Need) => need === `${queue}:send`]),
    ),
  };

  it('of each function holds what its needs ask for and nothing else', () => {
    for (const { name, needs, deployed } of functions) {
      const expected = Object.keys(reasons).filter((variable) => needs.some((need) => reasons[variable]?.(need)));
      const worker = everyWorker.find(({ id }) => id === name);
      if (worker && (isInLoop(worker) || worker.trigger.kind === 'stream')) expected.push(deadLettersVariable);
      expect(Object.keys(deployed.variables).sort(), name).toEqual(expected.sort());
    }
  });
});

describe('workers', () => {
  it.each(everyWorker)(
    '$id has dead letters with an alarm that says what users notice',
    ({ id, trigger, errorImpact }) => {
      const outputs = template.findOutputs('*');
      const deadLettersId: string = Object.entries(outputs).find(
        ([name]) => name.toLowerCase() === `${id.replaceAll('-', '')}deadlettersurl`,
      )?.[1].Value.Ref;
      expect(deadLettersId).toBeDefined();
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        AlarmDescription: Match.stringLikeRegexp(`^${errorImpact.replaceAll('.', '\\.')} .*docs/runbook\\.md`),
        Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [deadLettersId, 'QueueName'] } }],
        Threshold: 0,
      });
      if (trigger.kind === 'stream') {
        template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
          StartingPosition: 'TRIM_HORIZON',
          BisectBatchOnFunctionError: true,
          MaximumRetryAttempts: trigger.maximumRetryAttempts,
          DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [deadLettersId, 'Arn'] } } },
        });
      } else {
        template.hasResourceProperties('AWS::SQS::Queue', {
          VisibilityTimeout: trigger.visibilityTimeoutSeconds,
          RedrivePolicy: {
            deadLetterTargetArn: { 'Fn::GetAtt': [deadLettersId, 'Arn'] },
            maxReceiveCount: trigger.maximumReceives,
          },
        });
      }
    },
  );

  const late = everyWorker.filter((worker) => worker.late);

  it.each(late)('$id has an alarm when it is late, which says what users notice', ({ id, late, errorImpact }) => {
    const ofLambda = { Name: 'FunctionName', Value: { Ref: lambdaOfWorker(id, template) } };
    const ofStack = { Name: 'service', Value: 'affiliate-program-local' };
    const isOfStream = late?.measuredBy === 'IteratorAge';
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmDescription: Match.stringLikeRegexp(
        `^Later than 60 seconds.*${errorImpact.replaceAll('.', '\\.')} .*docs/runbook\\.md`,
      ),
      MetricName: late?.measuredBy,
      Dimensions: [isOfStream ? ofLambda : ofStack],
      Threshold: 60_000,
      TreatMissingData: 'notBreaching',
      ...(isOfStream ? { Statistic: 'Maximum' } : { Namespace: 'AffiliateProgram', ExtendedStatistic: 'p50' }),
    });
  });

  it('every stream and the delivery of webhooks can be late', () => {
    expect(late.map(({ id }) => id)).toEqual(
      everyWorker.flatMap(({ id, trigger }) => (trigger.kind === 'stream' || id === 'deliver-webhook' ? id : [])),
    );
    const deliverer = deployedFunction(lambdaOfWorker('deliver-webhook', template) ?? '', template);
    expect(deliverer.variables).toMatchObject({
      POWERTOOLS_METRICS_NAMESPACE: 'AffiliateProgram',
      POWERTOOLS_SERVICE_NAME: 'affiliate-program-local',
    });
  });

  it('the runbook has a section for each alarm, and none without one', () => {
    const runbook = readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');
    const sections = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => /"([^"]+)"\.$/.exec(Properties.AlarmDescription)?.[1],
    );
    const general = ['How to read an alarm', 'How a redrive works'];
    const written = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(new Set([...general, ...sections])).toEqual(new Set(written));
    expect(new Set(sections).size).toBe(everyWorker.length + late.length + 6);
  });

  it('those that send messages back to their own queue may loop, tell where they give up, and no other may', () => {
    for (const { name, deployed } of functions) {
      const worker = everyWorker.find(({ id }) => id === name);
      const { RecursiveLoop: recursiveLoop } =
        template.findResources('AWS::Lambda::Function')[deployed.logicalId]?.Properties ?? {};
      const sends = deployed.statements.flatMap(({ Action, Resource }) =>
        [Action].flat().includes('sqs:SendMessage') ? JSON.stringify(Resource) : [],
      );
      const givesUp = sends.some((resource) => resource.includes('DeadLetters'));
      if (worker && isInLoop(worker))
        expect({ name, recursiveLoop, givesUp }).toEqual({ name, recursiveLoop: 'Allow', givesUp: true });
      else expect(recursiveLoop, name).toBeUndefined();
    }
    expect(everyWorker.filter((worker) => isInLoop(worker)).map(({ id }) => id)).toEqual([
      'deliver-webhook',
      'retry-deliveries',
      'connect-promotional-code',
      'finish-deletion',
      'create-automatic-codes',
      'prepare-payout-batch',
    ]);
  });

  it('one bad message or change never takes its batch with it', () => {
    template.allResourcesProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    template.resourceCountIs('AWS::Lambda::EventSourceMapping', everyWorker.length);
  });

  it('a message stays hidden for at least six times as long as its worker may run', () => {
    for (const { trigger, timeoutSeconds } of everyWorker) {
      if (trigger.kind === 'queue') expect(trigger.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * timeoutSeconds);
    }
  });
});

describe('sign-in', () => {
  it('is by code and PKCE alone, without a secret, and leads back to this application only', () => {
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      GenerateSecret: false,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email'],
      CallbackURLs: [{ 'Fn::Join': ['', [Match.anyValue(), '/sign-in/callback']] }],
      LogoutURLs: [{ 'Fn::Join': ['', [Match.anyValue(), '/']] }],
    });
  });

  it('takes a new address of an account only when it is verified', () => {
    template.hasResourceProperties('AWS::Cognito::UserPool', {
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
      AutoVerifiedAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
    });
  });
});

describe('stages', () => {
  it('prod keeps its tables and can be restored to any second', () => {
    prod.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { DeletionProtectionEnabled: true },
    });
    prod.hasResourceProperties('AWS::DynamoDB::Table', {
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    });
    expect(JSON.stringify(prod.toJSON())).not.toContain('WEBHOOK_EXTRA_HOSTS');
  });

  it('the paths of the connector have the segment that a stage sets', () => {
    expect(lambdasByRoute(prod).has('ANY /api/zapier/webhooks/{id}')).toBe(true);
    expect(JSON.stringify(prod.toJSON())).not.toContain('/api/automation/');
  });

  it('the waits between attempts, where a stage sets them, are told to the function that delivers', () => {
    const deliverer = deployedFunction(lambdaOfWorker('deliver-webhook', prod) ?? '', prod);
    expect(deliverer.variables.WEBHOOK_RETRY_SECONDS).toBe('1,2');
    expect(JSON.stringify(prod.toJSON()).split('WEBHOOK_RETRY_SECONDS').length - 1).toBe(1);
  });

  it('an alarm notifies somebody only where an address is set', () => {
    template.resourceCountIs('AWS::SNS::Topic', 0);
    prod.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [Match.anyValue()] });
    prod.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: alarmEmail });
  });

  it('people sign up where the stage lets them, and may have a second factor by an authenticator app', () => {
    const secondFactor = { MfaConfiguration: 'OPTIONAL', EnabledMfas: ['SOFTWARE_TOKEN_MFA'] };
    template.hasResourceProperties('AWS::Cognito::UserPool', {
      ...secondFactor,
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: false },
    });
    prod.hasResourceProperties('AWS::Cognito::UserPool', {
      ...secondFactor,
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    });
  });

  it('an alarm of this account may publish to the topic over TLS, and nobody else may', () => {
    const [topic = ''] = Object.keys(prod.findResources('AWS::SNS::Topic'));
    const [policy] = Object.values(prod.findResources('AWS::SNS::TopicPolicy'));
    const resolved = JSON.stringify(policy?.Properties.PolicyDocument)
      .replaceAll('{"Ref":"AWS::AccountId"}', '"111122223333"')
      .replaceAll(`{"Ref":"${topic}"}`, '"the-topic"');
    expect(resolved).not.toContain('"Ref"');
    const statements = readPolicy(JSON.parse(resolved));
    const publish = { action: 'sns:Publish', resource: 'the-topic', principal: 'Service:cloudwatch.amazonaws.com' };
    const context = { 'aws:SourceAccount': '111122223333', 'aws:SecureTransport': 'true' };
    const outcomeOf = (changes: Partial<AccessRequest>) =>
      evaluate(statements, { ...publish, context, ...changes }).outcome;
    expect(outcomeOf({})).toBe('ALLOWED');
    expect(outcomeOf({ context: { ...context, 'aws:SourceAccount': '444455556666' } })).not.toBe('ALLOWED');
    expect(outcomeOf({ context: { 'aws:SecureTransport': 'true' } })).not.toBe('ALLOWED');
    expect(outcomeOf({ context: { ...context, 'aws:SecureTransport': 'false' } })).toBe('EXPLICIT_DENY');
    for (const principal of ['Service:events.amazonaws.com', 'AWS:arn:aws:iam::444455556666:root'])
      expect(outcomeOf({ principal }), principal).not.toBe('ALLOWED');
    expect(outcomeOf({ action: 'sns:Subscribe' })).not.toBe('ALLOWED');
    expect(outcomeOf({ resource: 'another-topic' })).not.toBe('ALLOWED');
  });
});
