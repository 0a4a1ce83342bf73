import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { pascalCase } from '../../../infra/constructs/pascal-case.ts';
import { bounds } from '../../../shared/contract/bounds.ts';
import {
  type FileKind,
  type FileUse,
  fileActions,
  fileKinds,
  filesBucketVariable,
} from '../../../shared/contract/files.ts';
import { deadLettersVariable, isInLoop } from '../../../shared/contract/loops.ts';
import { mailVariables } from '../../../shared/contract/mail-settings.ts';
import {
  type Need,
  queueNames,
  queueUrlVariable,
  secretNames,
  secretVariable,
  trafficKinds,
} from '../../../shared/contract/needs.ts';
import { queueOf } from '../../../shared/contract/worker.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { deployedFunction, lambdaOfWorker, lambdasWithNeeds } from './deployed-function.ts';
import { readable, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

const everyWorker: readonly Worker[] = workers;
const needsOfFiles = (Object.keys(fileKinds) as FileKind[]).flatMap((kind) =>
  (Object.keys(fileActions) as FileUse[]).map((use): Need => `${kind}:${use}`),
);
let local: Template;
let production: Template;

beforeAll(() => {
  local = templateOf(settings.local);
  production = templateOf(settings.production);
});

describe('environment', () => {
  const isTraffic = (need: Need): boolean =>
    ['access', 'forms', 'visitor-salts', 'mail-counts', ...trafficKinds].some((kind) => need.startsWith(`${kind}:`));
  const ofNoTable: readonly Need[] = [
    'cursors:sign',
    'api-url:use',
    'app-url:use',
    'web:serve',
    'sign-in:use',
    'platforms:check',
    'metrics:publish',
    'webhooks:address',
    'webhooks:deliver',
    'ses:use',
    'mail-from:use',
    ...secretNames.map((name) => `${name}:use` as const),
    ...needsOfFiles,
  ];
  const isQueue = (need: Need): boolean => need.endsWith(':send');
  const reasons: Record<string, (need: Need) => boolean> = {
    RECORDS_TABLE: (need) => !isTraffic(need) && !isQueue(need) && !ofNoTable.includes(need),
    TRAFFIC_TABLE: (need) => isTraffic(need) || need === 'records:count' || need === 'records:room',
    APP_URL: (need) => ['web:serve', 'app-url:use', 'mails:send', 'ses:use'].includes(need),
    [mailVariables.from]: (need) => ['mails:send', 'mail-from:use', 'ses:use'].includes(need),
    [mailVariables.configurationSet]: (need) => need === 'ses:use',
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
    [filesBucketVariable]: (need) => needsOfFiles.includes(need),
    RATE_LIMIT_READS: (need) => need === 'access:check',
    RATE_LIMIT_WRITES: (need) => need === 'access:check',
    WEBHOOK_EXTRA_HOSTS: (need) => need === 'webhooks:address',
    WEBHOOK_RETRY_SECONDS: (need) => need === 'webhooks:deliver',
    ...Object.fromEntries(secretNames.map((name) => [secretVariable(name), (need: Need) => need === `${name}:use`])),
    ...Object.fromEntries(
      queueNames.map((queue) => [queueUrlVariable(queue), (need: Need) => need === `${queue}:send`]),
    ),
  };

  it.each([
    { stage: 'local', functions: () => lambdasWithNeeds(local), isWithout: 'WEBHOOK_RETRY_SECONDS' },
    {
      stage: 'prod',
      functions: () => lambdasWithNeeds(production, settings.production.connectorPlatform),
      isWithout: 'WEBHOOK_EXTRA_HOSTS',
    },
  ])('of each function in $stage holds what its needs ask for and nothing else', ({ functions, isWithout }) => {
    for (const { name, needs, deployed } of functions()) {
      const expected = Object.keys(reasons).filter((variable) => needs.some((need) => reasons[variable]?.(need)));
      const worker = everyWorker.find(({ id }) => id === name);
      if (worker && (isInLoop(worker) || worker.trigger.kind === 'stream')) expected.push(deadLettersVariable);
      if (worker?.trigger.kind === 'schedule') expected.push(queueUrlVariable(worker.id));
      expect(Object.keys(deployed.variables).sort(), name).toEqual(
        expected.filter((variable) => variable !== isWithout).sort(),
      );
    }
  });

  /** The distinct values of a variable in all functions; a reference to a resource is its logical id without the hash. */
  const valuesIn = (template: Template, variable: string): string[] => {
    const values = resources(template, 'AWS::Lambda::Function').flatMap(([, { Environment: environment }]) => {
      const { Variables: variables = {} } = (environment ?? {}) as { Variables?: Record<string, unknown> };
      return variables[variable] === undefined ? [] : readable(variables[variable]);
    });
    return [...new Set(values)];
  };

  const origin = 'https://<SignInUserPoolDomain>.auth.<AWS::Region>.amazoncognito.com';
  const loopback = 'localhost,127.0.0.1,[::1]';

  it.each([
    { variable: 'RECORDS_TABLE', inLocal: '<Records>', inProd: '<Records>' },
    { variable: 'TRAFFIC_TABLE', inLocal: '<Traffic>', inProd: '<Traffic>' },
    { variable: 'APP_URL', inLocal: '<Api.ApiEndpoint>', inProd: '<Api.ApiEndpoint>' },
    { variable: 'API_URL', inLocal: '<Api.ApiEndpoint>', inProd: '<Api.ApiEndpoint>' },
    { variable: 'SIGN_IN_ORIGIN', inLocal: origin, inProd: origin },
    {
      variable: 'SIGN_IN_ISSUER',
      inLocal: '<SignInUserPool.ProviderURL>',
      inProd: '<SignInUserPool.ProviderURL>',
    },
    { variable: 'SIGN_IN_CLIENT_ID', inLocal: '<SignInWebApp>', inProd: '<SignInWebApp>' },
    { variable: 'CONNECTOR_PLATFORM', inLocal: 'automation', inProd: 'zapier' },
    { variable: 'CONNECT_HOSTS', inLocal: loopback, inProd: '' },
    { variable: 'POWERTOOLS_METRICS_NAMESPACE', inLocal: 'AffiliateProgram', inProd: 'AffiliateProgram' },
    { variable: 'POWERTOOLS_SERVICE_NAME', inLocal: 'affiliate-program-local', inProd: 'affiliate-program-prod' },
    { variable: 'STAGE', inLocal: 'local', inProd: 'prod' },
    { variable: mailVariables.from, inLocal: 'programs@local.example', inProd: 'programs@example.com' },
    { variable: mailVariables.configurationSet, inLocal: '<MailSendingSet>', inProd: '<MailSendingSet>' },
    {
      variable: 'CURSOR_KEY',
      inLocal: '{{resolve:secretsmanager:<CursorSecret>:SecretString:::}}',
      inProd: '{{resolve:secretsmanager:<CursorSecret>:SecretString:::}}',
    },
    { variable: 'FORM_LIMIT', inLocal: String(bounds.formsPerMinute), inProd: String(bounds.formsPerMinute) },
    { variable: 'RATE_LIMIT_READS', inLocal: '600', inProd: '600' },
    { variable: 'RATE_LIMIT_WRITES', inLocal: '300', inProd: '300' },
    { variable: 'WEBHOOK_EXTRA_HOSTS', inLocal: loopback, inProd: undefined },
    { variable: 'WEBHOOK_RETRY_SECONDS', inLocal: undefined, inProd: '1,2' },
    ...secretNames.map((name) => {
      const secret = `<${pascalCase(name)}Secret>`;
      return { variable: secretVariable(name), inLocal: secret, inProd: secret };
    }),
    // SNS alone sends to the queue of feedback.
    ...queueNames
      .filter((name) => name !== 'mail-feedback')
      .map((name) => {
        const queue = `<${pascalCase(name)}Queue>`;
        return { variable: queueUrlVariable(name), inLocal: queue, inProd: queue };
      }),
  ])('has $variable, which is $inLocal in local and $inProd in prod', ({ variable, inLocal, inProd }) => {
    expect(valuesIn(local, variable)).toEqual([inLocal].filter((value) => value !== undefined));
    expect(valuesIn(production, variable)).toEqual([inProd].filter((value) => value !== undefined));
  });

  it('names the dead letters of its own worker', () => {
    for (const worker of everyWorker) {
      const { variables } = deployedFunction(lambdaOfWorker(worker.id, local) ?? '', local);
      const reads = queueOf(worker);
      const id = reads ? `${reads.name}-queue` : worker.id;
      if (variables[deadLettersVariable] !== undefined)
        expect(readable(variables[deadLettersVariable]), worker.id).toBe(`<${pascalCase(id)}DeadLetters>`);
    }
  });
});
