import { describe, expect, it } from 'vitest';
import { refuseUnsupported } from '../../infra/local/template/supported.ts';
import type { Json, Template } from '../../infra/local/template/template.ts';

// What a template has and the local stack does not run stops a start with a sentence.

const check = (resources: Template['Resources'], conditions: { [name: string]: Json } = {}) =>
  refuseUnsupported({
    template: { Resources: resources, Conditions: conditions },
    pseudoParameters: {},
    resources: new Map(),
  });
const queue = { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } };
const topic = { Type: 'AWS::SNS::Topic' };

it('a type that is not run is named with its resource', () => {
  expect(() => check({ Work: queue, Store: { Type: 'AWS::Kinesis::Stream' } })).toThrow(
    'The local stack does not run the resource Store of type AWS::Kinesis::Stream.',
  );
});

it('everything that is not run is named at once', () => {
  expect(() => check({ Store: { Type: 'AWS::Kinesis::Stream' }, Rule: { Type: 'AWS::Events::Rule' } })).toThrow(
    'the resource Store of type AWS::Kinesis::Stream, the resource Rule of type AWS::Events::Rule.',
  );
});

it.each<[string, string, { [name: string]: Json }, string]>([
  ['AWS::Lambda::Function', 'Target', { Handler: 'index.handler', Layers: ['arn:layer'] }, 'the property Layers'],
  ['AWS::Lambda::Function', 'Target', { ReservedConcurrentExecutions: 0 }, 'the property ReservedConcurrentExecutions'],
  ['AWS::DynamoDB::Table', 'Records', { LocalSecondaryIndexes: [] }, 'the property LocalSecondaryIndexes'],
  ['AWS::Cognito::UserPool', 'People', { LambdaConfig: {} }, 'the property LambdaConfig'],
  ['AWS::ApiGatewayV2::Route', 'Route', { AuthorizationType: 'JWT' }, 'AuthorizationType "JWT"'],
  ['AWS::Lambda::EventSourceMapping', 'Source', { StartingPosition: 'LATEST' }, 'StartingPosition "LATEST"'],
])('a property of %s that would be ignored stops the start', (Type, id, Properties, named) => {
  expect(() => check({ [id]: { Type, Properties } })).toThrow(
    `The local stack does not run ${named} of the resource ${id} of type ${Type}.`,
  );
});

it('what has no value, or is left out by its condition, is not there', () => {
  check({ Work: { ...queue, Properties: { Unknown: { Ref: 'AWS::NoValue' } } } });
  check({ Store: { Type: 'AWS::Kinesis::Stream', Condition: 'Never' } }, { Never: { 'Fn::Equals': ['a', 'b'] } });
});

describe('a topic', () => {
  const sends = (Protocol: string) => ({
    Type: 'AWS::SNS::Subscription',
    Properties: { Protocol, Endpoint: 'somewhere', TopicArn: { Ref: 'Topic' } },
  });

  it('sends to queues, and email to people, which has nothing to run here', () => {
    check({ Topic: topic, People: sends('email'), Queue: sends('sqs') });
  });

  it('that has to deliver to anything else stops the start', () => {
    expect(() => check({ Topic: topic, Queue: sends('sqs'), Other: sends('https') })).toThrow(
      'does not run Protocol "https" of the resource Other of type AWS::SNS::Subscription.',
    );
  });
});
