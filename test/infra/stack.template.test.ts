import { CfnResource, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { pascalCase } from '../../infra/constructs/pascal-case.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { settings, stackIn, templateOf, withApp } from './constructs/template-of.ts';

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

it('every stage leaves room below the 500 resources of a stack', () => {
  for (const template of [ofDev, prod]) expect(Object.keys(template.toJSON().Resources).length).toBeLessThan(450);
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
    const validated = withApp({}, (app) => Template.fromStack(stackIn(app, settings.production)));
    expect(validated.toJSON()).toEqual(prod.toJSON());
  });
});
