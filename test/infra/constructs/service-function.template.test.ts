import { App, Stack } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { deployedCode } from '../../../infra/bundle.ts';
import type { Resources } from '../../../infra/constructs/resources.ts';
import { ServiceFunction } from '../../../infra/constructs/service-function.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { deployedFunction, lambdaOfWorker, type Statement } from './deployed-function.ts';
import { idOf, resource, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

const everyWorker: readonly Worker[] = workers;
let local: Template;
let production: Template;
let traced: Template;

beforeAll(() => {
  local = templateOf(settings.local);
  production = templateOf(settings.production);
  traced = templateOf({ ...settings.dev, tracing: true });
});

describe('a function', () => {
  it('runs on Node 24, arm64, with 1 GB of memory', () => {
    for (const template of [local, production])
      for (const [id, properties] of resources(template, 'AWS::Lambda::Function'))
        expect(properties, id).toMatchObject({
          Runtime: 'nodejs24.x',
          Architectures: ['arm64'],
          MemorySize: 1024,
          Handler: 'index.handler',
        });
  });

  it('behind the API may not loop, and ends before API Gateway gives up on it, which is after 30 seconds', () => {
    const ofWorkers = everyWorker.map(({ id }) => lambdaOfWorker(id, local));
    const behindApi = resources(local, 'AWS::Lambda::Function').filter(([id]) => !ofWorkers.includes(id));
    expect(behindApi.length).toBeGreaterThan(20);
    for (const [id, { Timeout, RecursiveLoop }] of behindApi)
      expect({ Timeout, RecursiveLoop }, id).toEqual({ Timeout: 29, RecursiveLoop: undefined });
    for (const [id, integration] of resources(local, 'AWS::ApiGatewayV2::Integration'))
      expect(integration, id).toMatchObject({ PayloadFormatVersion: '2.0' });
  });

  it('has a log of its own', () => {
    const functions = resources(production, 'AWS::Lambda::Function');
    const logs = functions.map(([, { LoggingConfig }]) => idOf((LoggingConfig as { LogGroup: unknown }).LogGroup));
    expect(new Set(logs).size).toBe(functions.length);
  });

  const statementsAbout = (prefix: string, template: Template): [functionId: string, statements: Statement[]][] =>
    resources(template, 'AWS::Lambda::Function').map(([id]) => [
      id,
      deployedFunction(id, template).statements.filter(({ Action }) => [Action].flat().join().startsWith(prefix)),
    ]);

  it('may write to its own log', () => {
    for (const [id, statements] of statementsAbout('logs:', production)) {
      const { LoggingConfig: logging } = resource(production, 'AWS::Lambda::Function', id);
      const log = idOf((logging as { LogGroup: unknown }).LogGroup);
      expect(statements, id).toEqual([
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: { 'Fn::GetAtt': [log, 'Arn'] },
        },
      ]);
    }
  });

  it('has a role of its own, which Lambda alone may take', () => {
    const roles = resources(production, 'AWS::Lambda::Function').map(([, { Role }]) => idOf(Role));
    expect(new Set(roles).size).toBe(roles.length);
    for (const id of roles)
      expect(resource(production, 'AWS::IAM::Role', id).AssumeRolePolicyDocument).toEqual({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
      });
  });

  it('is traced by X-Ray only in a stage that asks for it', () => {
    expect(JSON.stringify(local.toJSON())).not.toMatch(/xray|TracingConfig/);
    traced.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } });
    const send = { Effect: 'Allow', Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], Resource: '*' };
    for (const [id, statements] of statementsAbout('xray:', traced)) expect(statements, id).toEqual([send]);
  });

  it('that has no file fails the synthesis, which names the file', () => {
    const props = {
      name: 'no-such',
      needs: [],
      timeoutSeconds: 1,
      resources: { settings: settings.dev, codeOf: deployedCode } as Resources,
    };
    expect(() => new ServiceFunction(new Stack(new App()), 'Missing', props)).toThrow(
      'functions/no-such.ts is missing',
    );
  });
});
