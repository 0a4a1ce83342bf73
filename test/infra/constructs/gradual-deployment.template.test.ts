import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { readable, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

let prod: Template;
let ofDev: Template;

beforeAll(() => {
  prod = templateOf(settings.production);
  ofDev = templateOf(settings.dev);
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
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
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

  it('in prod is brought into use by CodeDeploy alone, on behalf of this account', () => {
    const [[roleId, role] = []] = resources(prod, 'AWS::IAM::Role').filter(([id]) =>
      id.startsWith('GradualDeployment'),
    );
    expect(role).toEqual({
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: 'sts:AssumeRole',
            Principal: { Service: 'codedeploy.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          },
        ],
      },
      ManagedPolicyArns: [expect.anything()],
    });
    expect(readable(((role?.ManagedPolicyArns ?? []) as unknown[])[0])).toBe(
      'arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited',
    );
    prod.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
      ServiceRoleArn: { 'Fn::GetAtt': [roleId, 'Arn'] },
      ApplicationName: { Ref: Match.stringLikeRegexp('^GradualDeploymentApplication') },
    });
    prod.allResourcesProperties('AWS::Lambda::Alias', { Name: 'live' });
  });
});
