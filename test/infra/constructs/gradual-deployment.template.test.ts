import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { idOf, readable, resource, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

interface MetricOfAlarm {
  Id: string;
  Expression?: string;
  MetricStat?: object;
}

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
      AlarmConfiguration: { Enabled: true, Alarms: [Match.anyValue()] },
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

  it('in prod goes back when its own version crashes or responds with 5xx three times in five minutes', () => {
    const alarms = new Map(resources(prod, 'AWS::CloudWatch::Alarm'));
    const versions = prod.findResources('AWS::Lambda::Version');
    const watched = Object.values(prod.findResources('AWS::Lambda::Alias')).map(({ Properties, UpdatePolicy }) => {
      const groupId = UpdatePolicy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref;
      const { AlarmConfiguration } = resource(prod, 'AWS::CodeDeploy::DeploymentGroup', groupId);
      const { Alarms } = AlarmConfiguration as { Alarms: { Name: unknown }[] };
      const alarm = alarms.get(idOf(Alarms[0]?.Name));
      expect(alarm).toMatchObject({
        EvaluationPeriods: 1,
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        TreatMissingData: 'notBreaching',
      });
      const metrics = alarm?.Metrics as MetricOfAlarm[];
      const [version] = Properties.FunctionVersion['Fn::GetAtt'];
      const functionId = versions[version]?.Properties.FunctionName.Ref;
      const own = metrics.filter(({ MetricStat }) => JSON.stringify(MetricStat ?? {}).includes(version));
      expect(own.map(({ MetricStat }) => MetricStat)).toEqual([
        {
          Metric: {
            Namespace: 'AWS/Lambda',
            MetricName: 'Errors',
            Dimensions: [
              { Name: 'ExecutedVersion', Value: { 'Fn::GetAtt': [version, 'Version'] } },
              { Name: 'FunctionName', Value: { Ref: functionId } },
              { Name: 'Resource', Value: { 'Fn::Join': ['', [{ Ref: functionId }, ':live']] } },
            ],
          },
          Period: 300,
          Stat: 'Sum',
        },
        {
          Metric: {
            Namespace: 'AffiliateProgram',
            MetricName: 'ServerErrors',
            Dimensions: [
              { Name: 'function', Value: { Ref: functionId } },
              { Name: 'version', Value: { 'Fn::GetAtt': [version, 'Version'] } },
            ],
          },
          Period: 300,
          Stat: 'Sum',
        },
      ]);
      const [first, second] = own.map(({ Id }) => Id);
      expect(metrics.find(({ Expression }) => Expression)?.Expression).toContain(
        `IF(FILL(${first}, 0) + FILL(${second}, 0) > 2, 1, 0)`,
      );
      return functionId;
    });
    expect(watched.toSorted()).toEqual(Object.keys(prod.findResources('AWS::Lambda::Function')).toSorted());
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
