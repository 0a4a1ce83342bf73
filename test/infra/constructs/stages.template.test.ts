import { CfnResource, Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../infra/cdk-app.ts';
import { readSettings } from '../../../infra/settings.ts';
import { dev, inOutputFolder, productionTemplate, synthesize, templateOf } from './template-of.ts';

let ofDev: Template;
let prod: Template;

beforeAll(() => {
  ofDev = templateOf(dev);
  prod = productionTemplate();
});

it('two stages side by side differ in their names alone, where their settings are the same', () => {
  const withoutName = (template: Template, stage: string): string =>
    JSON.stringify(template.toJSON())
      .replaceAll(`affiliate-program-${stage}`, '-')
      .replaceAll(`stage ${stage}`, '-')
      .replace(`"STAGE":"${stage}"`, '-')
      // The CDK names a permission by the path of its function in the app, with the stack's name in it.
      .replaceAll(/(?<=RouteApiPermissionApiScoped)\w+/g, '-');
  const other = templateOf({ ...dev, stage: 'staging' });
  expect(withoutName(other, 'staging')).toBe(withoutName(ofDev, 'dev'));
});

/** What would lose its data if CloudFormation replaced it: renaming a construct is enough for that. */
const stateful: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['Records091F6ECA', 'Traffic749F3D38'],
  'AWS::SecretsManager::Secret': [
    'CursorSecretABAE1358',
    'KeyCopiesSecret1F1E7E03',
    'SessionsSecret410F2C6E',
    'WebhookSecretsSecretAD8F90F0',
  ],
  'AWS::Cognito::UserPool': ['SignInUserPoolA2C003D1'],
  'AWS::Cognito::UserPoolClient': ['SignInUserPoolWebApp107652C0'],
  'AWS::Cognito::UserPoolDomain': ['SignInUserPoolDomain5208FC0D'],
  'AWS::SQS::Queue': [
    'AutomaticCodesQueueA58B4E22',
    'AutomaticCodesQueueDeadLetters5800968F',
    'CodeConnectionsQueue891004DA',
    'CodeConnectionsQueueDeadLettersE1F2EB08',
    'DeletionsQueue598FE202',
    'DeletionsQueueDeadLetters076FDD92',
    'DeliveriesQueueA9D42004',
    'DeliveriesQueueDeadLetters510E31C1',
    'FanOutEventsDeadLettersD346CE76',
    'PayoutBatchesQueue1A424557',
    'PayoutBatchesQueueDeadLettersAA6B818F',
    'RedeliveriesQueueBAF2D226',
    'RedeliveriesQueueDeadLetters64D7E9C5',
    'UpdateTotalsDeadLetters2D02B25A',
  ],
};

describe('what holds data', () => {
  it.each(Object.entries(stateful))('%s keeps its logical ids', (type, ids) => {
    expect(Object.keys(ofDev.findResources(type)).sort()).toEqual(ids);
  });

  it('stays in prod when the stack is deleted or an update would replace it, and goes in dev', () => {
    for (const type of ['AWS::DynamoDB::Table', 'AWS::SecretsManager::Secret', 'AWS::Cognito::UserPool']) {
      prod.allResources(type, { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
      ofDev.allResources(type, { DeletionPolicy: 'Delete' });
    }
  });
});

it('leave room below the 500 resources of a stack', () => {
  for (const template of [ofDev, prod]) expect(Object.keys(template.toJSON().Resources).length).toBeLessThan(450);
});

it('a new generation of tables takes the place of the old ones everywhere', () => {
  const template = templateOf({ ...dev, recordsGeneration: 2, trafficGeneration: 3 });
  const ids = Object.keys(template.findResources('AWS::DynamoDB::Table'));
  expect(ids.map((id) => id.slice(0, -8)).sort()).toEqual(['Records2', 'Traffic3']);
  for (const old of stateful['AWS::DynamoDB::Table'] ?? [])
    expect(JSON.stringify(template.toJSON())).not.toContain(old);
});

describe('domains', () => {
  const zone = { id: 'Z1', name: 'example.com' };
  const api = { name: 'api.example.com', hostedZone: zone };
  const app = { name: 'app.example.com', certificateArn: 'arn:aws:acm:eu-central-1:1:certificate/1' };

  it('of the API and of the web application lead to their links, sign-in and DNS records', () => {
    const template = templateOf({ ...dev, apiDomain: api, appDomain: app });
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 2);
    template.hasResourceProperties('AWS::CertificateManager::Certificate', { DomainName: api.name });
    template.hasResourceProperties('AWS::Route53::RecordSet', { Name: `${api.name}.`, Type: 'A', HostedZoneId: 'Z1' });
    template.resourceCountIs('AWS::CertificateManager::Certificate', 1);
    template.resourceCountIs('AWS::Route53::RecordSet', 1);
    template.hasOutput('ApiUrl', { Value: 'https://api.example.com/api/v1' });
    template.hasOutput('AppUrl', { Value: 'https://app.example.com' });
    template.hasOutput('AppDomainTarget', {});
    template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
      CallbackURLs: ['https://app.example.com/sign-in/callback'],
      LogoutURLs: ['https://app.example.com/'],
    });
    const variables = Object.values(template.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.Environment?.Variables ?? {},
    );
    expect(new Set(variables.flatMap(({ API_URL }) => API_URL ?? []))).toEqual(new Set(['https://api.example.com']));
    expect(new Set(variables.flatMap(({ APP_URL }) => APP_URL ?? []))).toEqual(new Set(['https://app.example.com']));
  });

  it('may be one for both', () => {
    const template = templateOf({ ...dev, appDomain: app });
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
    template.hasOutput('ApiUrl', { Value: 'https://app.example.com/api/v1' });
    const shared = templateOf({ ...dev, apiDomain: app, appDomain: app, signInEmail: 'no-reply@example.com' });
    shared.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
    shared.hasResourceProperties('AWS::Cognito::UserPool', {
      EmailConfiguration: { EmailSendingAccount: 'DEVELOPER', From: 'no-reply@example.com' },
    });
  });
});

describe('new code', () => {
  it('in prod gets a tenth of the calls for five minutes, and goes back when an alarm rises', () => {
    const functions = Object.keys(prod.findResources('AWS::Lambda::Function'));
    prod.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', functions.length);
    prod.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AlarmConfiguration: { Enabled: true, Alarms: [Match.anyValue(), Match.anyValue()] },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: Match.arrayWith(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
      },
    });
    const called = JSON.stringify([
      Object.values(prod.findResources('AWS::ApiGatewayV2::Integration')).map((one) => one.Properties.IntegrationUri),
      Object.values(prod.findResources('AWS::Lambda::EventSourceMapping')).map((one) => one.Properties.FunctionName),
    ]);
    for (const alias of Object.keys(prod.findResources('AWS::Lambda::Alias'))) expect(called).toContain(`"${alias}"`);
    expect(called.split('"Ref"').length - 1).toBe(functions.length);
  });

  it('in dev is used at once', () => {
    ofDev.resourceCountIs('AWS::Lambda::Alias', 0);
  });
});

describe('what CloudFormation would refuse', () => {
  it('is refused by the synthesis, and the stack in production has nothing of it', () => {
    expect(() => synthesize(readSettings({ STAGE: 'prod' }), true)).not.toThrow();
    const withTypo = (outdir: string): void => {
      const app = createApp({ outdir });
      new CfnResource(new Stack(app, 'Typo'), 'Jobs', { type: 'AWS::SQS::Queue', properties: { DelaySecond: 1 } });
      app.synth();
    };
    expect(() => inOutputFolder(withTypo)).toThrow('validation-report.json');
  });
});

describe('what is seen of the service', () => {
  it('every request leaves a line with its route, and with no path, query or header', () => {
    const [stage] = Object.values(ofDev.findResources('AWS::ApiGatewayV2::Stage'));
    const { Format, DestinationArn } = stage?.Properties.AccessLogSettings ?? {};
    expect(ofDev.findResources('AWS::Logs::LogGroup')).toHaveProperty(DestinationArn['Fn::GetAtt'][0]);
    expect(JSON.parse(Format)).toMatchObject({ requestId: '$context.requestId', route: '$context.routeKey' });
    expect(Format).not.toMatch(/\$context\.(path|rawPath|protocol|authorizer)|queryString|header/i);
  });

  it('a dashboard shows requests, latency by operation, deliveries, queues, throttling and what costs money', () => {
    const [dashboard] = Object.values(ofDev.findResources('AWS::CloudWatch::Dashboard'));
    const body = JSON.stringify(dashboard?.Properties.DashboardBody);
    for (const metric of ['5xx', 'Latency', 'WebhookFirstAttemptLag', 'ApproximateNumberOfMessagesVisible'])
      expect(body).toContain(metric);
    for (const metric of ['WriteThrottleEvents', 'ConsumedWriteCapacityUnits', 'Invocations', 'NumberOfMessagesSent'])
      expect(body).toContain(metric);
    expect(body).toContain('by method, route');
  });

  it('requests are traced by X-Ray only in a stage that asks for it', () => {
    expect(JSON.stringify(ofDev.toJSON())).not.toMatch(/xray|TracingConfig/);
    const traced = templateOf({ ...dev, tracing: true });
    traced.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } });
  });
});
