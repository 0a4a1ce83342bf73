import { expect, it } from 'vitest';
import { combine, type Part } from '../../infra/local/template/combine.ts';
import type { Json, Template } from '../../infra/local/template/template.ts';

const partOf = (template: Template, nested: Readonly<Record<string, Part>> = {}): Part => ({
  template,
  nested: new Map(Object.entries(nested)),
});

const ofStack = (StackName: string, OutputName: string): Json => ({ 'Fn::GetStackOutput': { StackName, OutputName } });

/** A service that keeps its data in another stack, and its worker in a nested one. */
const data = partOf({
  Resources: { Table: { Type: 'AWS::DynamoDB::Table' } },
  Outputs: { TableName: { Value: { Ref: 'Table' } } },
});
const workers = partOf({
  Parameters: { table: {}, queue: {} },
  Resources: {
    Worker: {
      Type: 'AWS::Lambda::Function',
      Properties: { Environment: { Variables: { TABLE: { Ref: 'table' }, QUEUE: { Ref: 'queue' } } } },
    },
  },
  Outputs: { WorkerArn: { Value: { 'Fn::GetAtt': ['Worker', 'Arn'] } } },
});
const parameters = { table: ofStack('data', 'TableName'), queue: { 'Fn::GetAtt': ['Queue', 'QueueUrl'] } };
const service = partOf(
  {
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue' },
      Workers: { Type: 'AWS::CloudFormation::Stack', Properties: { Parameters: parameters } },
      Alarm: { Type: 'AWS::CloudWatch::Alarm', DependsOn: ['Queue', 'Workers'] },
    },
    Outputs: {
      Table: { Value: ofStack('data', 'TableName') },
      Worker: { Value: { 'Fn::Join': ['', ['arn is ', { 'Fn::GetAtt': ['Workers', 'Outputs.WorkerArn'] }]] } },
    },
  },
  { Workers: workers },
);

it('stacks become one, in which references between them and to nested ones are references within it', () => {
  expect(combine(new Map(Object.entries({ data, service })), 'service')).toEqual({
    Parameters: {},
    Mappings: {},
    Conditions: {},
    Resources: {
      Table: { Type: 'AWS::DynamoDB::Table' },
      Queue: { Type: 'AWS::SQS::Queue' },
      Alarm: { Type: 'AWS::CloudWatch::Alarm', DependsOn: ['Queue'] },
      Worker: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          Environment: {
            Variables: { TABLE: { Ref: 'Table' }, QUEUE: { 'Fn::GetAtt': ['Queue', 'QueueUrl'] } },
          },
        },
      },
    },
    Outputs: {
      Table: { Value: { Ref: 'Table' } },
      Worker: { Value: { 'Fn::Join': ['', ['arn is ', { 'Fn::GetAtt': ['Worker', 'Arn'] }]] } },
    },
  });
});

it('a reference to an output that no stack has is refused with its name', () => {
  const lost = partOf({ Resources: {}, Outputs: { Table: { Value: ofStack('data', 'TableNam') } } });
  expect(() => combine(new Map(Object.entries({ data, lost })), 'lost')).toThrow('TableNam.');
  expect(() => combine(new Map(Object.entries({ lost })), 'lost')).toThrow('TableNam.');
});

it('two resources of one logical id are refused, since one would hide the other', () => {
  const twice = partOf({ Resources: { Table: { Type: 'AWS::SQS::Queue' } } });
  expect(() => combine(new Map(Object.entries({ data, twice })), 'data')).toThrow(
    'Two stacks of the cloud assembly have a resource Table.',
  );
});
