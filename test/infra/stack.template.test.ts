import { readFileSync } from 'node:fs';
import { CfnResource, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { pascalCase } from '../../infra/constructs/pascal-case.ts';
import type { Settings } from '../../infra/settings.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { combinedTemplate, settings, stackIn, templateOf, withApp } from './constructs/template-of.ts';

let ofDev: Template;
let ofStaging: Template;
let prod: Template;

beforeAll(() => {
  ofDev = templateOf(settings.dev);
  ofStaging = templateOf({ ...settings.dev, stage: 'staging' });
  prod = templateOf(settings.production);
});

it('two stages side by side differ in their names alone, where their settings are the same', () => {
  const withoutName = (template: Template, stage: string): string =>
    JSON.stringify(template.toJSON())
      .replaceAll(`affiliate-program-${stage}`, '-')
      .replaceAll(`stage ${stage}`, '-')
      .replace(`"STAGE":"${stage}"`, '-')
      // The CDK names a permission by the path of its function in the app, with the stack's name in it.
      .replaceAll(/(?<=RouteApiPermissionApiScoped)\w+/g, '-');
  expect(withoutName(ofStaging, 'staging')).toBe(withoutName(ofDev, 'dev'));
});

it('docs/operations.md names every output but those of queues', () => {
  const [, paragraph = ''] = /^Its outputs are ([\s\S]*?)\n\n/m.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];
  const names = Object.keys(prod.toJSON().Outputs).filter((name) => !/(?:Queue|DeadLetters)Url$/.test(name));
  expect(names).toEqual(expect.arrayContaining(['ApiUrl', 'FilesBucketName', 'MailDkim1', 'SessionsSecretArn']));
  expect(names.filter((name) => !paragraph.includes(`\`${name}\``))).toEqual([]);
});

/** What would lose its data if CloudFormation replaced it: renaming a construct is enough for that. */
const stateful: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['Records091F6ECA', 'Traffic749F3D38'],
  'AWS::SecretsManager::Secret': [
    'ClickIdsSecretA3FB9BC3',
    'CursorSecretABAE1358',
    'KeyCopiesSecret1F1E7E03',
    'MailLinksSecret4C9EC73B',
    'SessionsSecret410F2C6E',
    'WebhookSecretsSecretAD8F90F0',
  ],
  'AWS::S3::Bucket': ['Files8E6940B8'],
  'AWS::Cognito::UserPool': ['SignInUserPoolA2C003D1'],
  'AWS::Cognito::UserPoolClient': ['SignInWebApp54238E51'],
  'AWS::Cognito::UserPoolDomain': ['SignInUserPoolDomain5208FC0D'],
  'AWS::SQS::Queue': [
    'AutomaticCodesQueueA58B4E22',
    'AutomaticCodesQueueDeadLetters5800968F',
    'ClicksQueue28E7BC6F',
    'ClicksQueueDeadLettersB341290B',
    'CodeConnectionsQueue891004DA',
    'CodeConnectionsQueueDeadLettersE1F2EB08',
    'DeletionsQueue598FE202',
    'DeletionsQueueDeadLetters076FDD92',
    'DeliveriesQueueA9D42004',
    'DeliveriesQueueDeadLetters510E31C1',
    'ErasuresQueue7C4DE450',
    'ErasuresQueueDeadLettersAAE36680',
    'ExportsQueueA7167BC2',
    'ExportsQueueDeadLettersDD101ED3',
    'FanOutEventsDeadLetters8C71D11C',
    'FirstSalesQueue39FDCFB8',
    'FirstSalesQueueDeadLetters57449E72',
    'ImportsQueueDeadLettersF6DCBFC1',
    'ImportsQueueF125E945',
    'MailFeedbackQueue125E2B1B',
    'MailFeedbackQueueDeadLetters6EBC3089',
    'MailsQueue7A50E33F',
    'MailsQueueDeadLettersCA3C0794',
    'PayoutBatchesQueue1A424557',
    'PayoutBatchesQueueDeadLettersAA6B818F',
    'PortalRequestsQueue0DAE76D3',
    'PortalRequestsQueueDeadLetters652573F1',
    'RedeliveriesQueueBAF2D226',
    'RedeliveriesQueueDeadLetters64D7E9C5',
    'UpdateTotalsDeadLetters972EB5AB',
  ],
};

const everyWorker: readonly Worker[] = workers;
const scheduled = everyWorker.filter(({ trigger }) => trigger.kind === 'schedule');

describe('what holds data', () => {
  it.each(Object.entries(stateful))('%s keeps its logical ids', (type, ids) => {
    // A schedule sends again what the queue of a scheduled worker would lose.
    const isScheduled = (id: string) => scheduled.some((worker) => id.startsWith(`${pascalCase(worker.id)}Queue`));
    expect(
      Object.keys(ofDev.findResources(type))
        .filter((id) => !isScheduled(id))
        .sort(),
    ).toEqual(ids);
  });
});

/** The templates of a stage by the name of the stack, and by the id of a nested one. */
const templatesOf = (of: Settings): [name: string, template: Template][] =>
  withApp({ builtinCloudFormationValidation: false }, (app) => {
    stackIn(app, of);
    const stacks = app.node.findAll().filter((construct): construct is Stack => construct instanceof Stack);
    return stacks.map((stack) => [stack.node.id, Template.fromStack(stack)]);
  });

const countOf = (template: Template): number => Object.keys(template.toJSON().Resources).length;
const functionsIn = (template: Template): number => Object.keys(template.findResources('AWS::Lambda::Function')).length;

describe('the stacks of a stage', () => {
  /** CloudFormation has one of 500. */
  const resourceLimit = 450;

  it.each(Object.entries(settings))('of %s leave room for 60 more functions', (_stage, of) => {
    const counts = templatesOf(of).map(([name, template]) => ({
      name,
      resources: countOf(template),
      functions: functionsIn(template),
    }));
    for (const { name, resources } of counts) expect(resources, name).toBeLessThan(resourceLimit);
    const room = counts
      .filter(({ functions }) => functions > 0)
      .map(({ resources, functions }) => Math.floor((resourceLimit - resources) / (resources / functions)));
    expect(room.reduce((sum, more) => sum + more, 0)).toBeGreaterThanOrEqual(60);
  });

  it('are two, of which one holds the state and nothing else', () => {
    const inProduction = new Map(templatesOf(settings.production));
    expect([...inProduction.keys()].filter((name) => name.startsWith('affiliate-program-'))).toEqual([
      'affiliate-program-prod',
      'affiliate-program-prod-data',
    ]);
    const held = inProduction.get('affiliate-program-prod-data')?.toJSON().Resources ?? {};
    const ofState = [
      ...['AWS::DynamoDB::Table', 'AWS::SecretsManager::Secret', 'AWS::Cognito::UserPool', 'AWS::S3::Bucket'],
      'AWS::SES::EmailIdentity',
    ];
    const besideThem = ['AWS::Cognito::UserPoolDomain', 'AWS::S3::BucketPolicy'];
    const types = (resources: Record<string, { Type: string }>) => Object.values(resources).map(({ Type }) => Type);
    expect([...new Set(types(held))].sort()).toEqual([...ofState, ...besideThem].sort());
    for (const [name, template] of inProduction)
      if (!name.endsWith('-data'))
        expect(
          types(template.toJSON().Resources).filter((type) => ofState.includes(type)),
          name,
        ).toEqual([]);
  });

  it('lose no state with one command where the stage keeps data', () => {
    const protects = (of: Settings) => withApp({}, (app) => stackIn(app, of).data.terminationProtection);
    expect([protects(settings.production), protects(settings.dev)]).toEqual([true, false]);
  });

  it('refer to each other in a way that lets a lost table be replaced', () => {
    for (const [name, template] of templatesOf(settings.production)) {
      const text = JSON.stringify(template.toJSON());
      expect(text, name).not.toContain('Fn::ImportValue');
      expect(text, name).not.toContain('"Export"');
    }
  });
});

describe('what CloudFormation would refuse', () => {
  it('is an error of the synthesis', () => {
    const withTypo = () =>
      withApp({}, (app) => {
        new CfnResource(new Stack(app, 'Typo'), 'Jobs', { type: 'AWS::SQS::Queue', properties: { DelaySecond: 1 } });
        app.synth();
      });
    expect(withTypo).toThrow('validation-report.json');
  });

  it('is not in the stack in production', () => {
    const validated = withApp({}, (app, outdir) => {
      stackIn(app, settings.production);
      return combinedTemplate(app, outdir);
    });
    expect(validated.toJSON()).toEqual(prod.toJSON());
  });
});
