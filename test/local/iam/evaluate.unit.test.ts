import { expect, test } from 'vitest';
import { type AccessRequest, evaluate } from '../../../infra/local/iam/evaluate.ts';
import { readPolicy } from '../../../infra/local/iam/policy.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Records';
const request = (change: Partial<AccessRequest> = {}): AccessRequest => ({
  action: 'dynamodb:GetItem',
  resource: table,
  context: {},
  ...change,
});
const outcome = (statements: object[], change: Partial<AccessRequest> = {}) =>
  evaluate(readPolicy({ Version: '2012-10-17', Statement: statements }), request(change)).outcome;
const allow = (more: object = {}) => ({ Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: table, ...more });
const limitedTo = (operator: string, values: string | string[]) =>
  allow({ Condition: { [operator]: { 'dynamodb:LeadingKeys': values } } });

test('what no statement allows is refused', () => {
  expect(outcome([])).toBe('IMPLICIT_DENY');
  expect(outcome([allow()], { action: 'dynamodb:PutItem' })).toBe('IMPLICIT_DENY');
  expect(outcome([allow()], { resource: `${table}/index/GSI1` })).toBe('IMPLICIT_DENY');
});

test('a statement allows its actions, case-insensitively and with wildcards, on its resources', () => {
  expect(outcome([allow()])).toBe('ALLOWED');
  expect(outcome([allow({ Action: ['sqs:SendMessage', 'DYNAMODB:get*'] })])).toBe('ALLOWED');
  expect(outcome([allow({ Resource: '*' })])).toBe('ALLOWED');
  expect(outcome([allow({ Resource: 'arn:aws:dynamodb:*:*:table/Rec?rds' })])).toBe('ALLOWED');
  expect(outcome([allow({ Resource: 'ARN:aws:dynamodb:*:*:table/Records' })])).toBe('IMPLICIT_DENY');
});

test('a dot or a bracket in a pattern stands for itself', () => {
  expect(outcome([allow({ Resource: 'a.c[x](+)' })], { resource: 'a.c[x](+)' })).toBe('ALLOWED');
  expect(outcome([allow({ Resource: 'a.c*' })], { resource: 'abcd' })).toBe('IMPLICIT_DENY');
});

test('an explicit Deny wins, wherever it stands', () => {
  const deny = { Effect: 'Deny', Action: 'dynamodb:*', Resource: '*' };
  expect(outcome([allow(), deny])).toBe('EXPLICIT_DENY');
  expect(outcome([deny, allow()])).toBe('EXPLICIT_DENY');
});

test('NotAction and NotResource mean all others', () => {
  expect(outcome([{ Effect: 'Allow', NotAction: 'dynamodb:GetItem', Resource: '*' }])).toBe('IMPLICIT_DENY');
  expect(outcome([{ Effect: 'Allow', NotAction: 'dynamodb:PutItem', Resource: '*' }])).toBe('ALLOWED');
  expect(outcome([{ Effect: 'Allow', Action: '*', NotResource: table }])).toBe('IMPLICIT_DENY');
});

test('the decision names the statement that decided', () => {
  const statements = readPolicy({ Statement: [allow({ Action: 'dynamodb:PutItem' }), allow()] });
  expect(evaluate(statements, request()).statement).toBe(statements[1]);
});

test('ForAllValues asks it of each value, and holds where there is none', () => {
  const condition = limitedTo('ForAllValues:StringLike', ['PROGRAM#???#SALE', 'PROGRAM#???#SALE#*']);
  const keys = (...values: string[]) => outcome([condition], { context: { 'dynamodb:LeadingKeys': values } });
  expect(keys('PROGRAM#abc#SALE')).toBe('ALLOWED');
  expect(keys('PROGRAM#abc#SALE', 'PROGRAM#abc#SALE#1')).toBe('ALLOWED');
  expect(keys('PROGRAM#abc#SALE', 'PROGRAM#abc#COUPON')).toBe('IMPLICIT_DENY');
  expect(keys('PROGRAM#abcd#SALE')).toBe('IMPLICIT_DENY');
  expect(outcome([condition])).toBe('ALLOWED');
});

test('ForAnyValue asks it of one value, and does not hold where there is none', () => {
  const condition = limitedTo('ForAnyValue:StringEquals', 'a');
  expect(outcome([condition], { context: { 'dynamodb:LeadingKeys': ['b', 'a'] } })).toBe('ALLOWED');
  expect(outcome([condition], { context: { 'dynamodb:LeadingKeys': ['b'] } })).toBe('IMPLICIT_DENY');
  expect(outcome([condition])).toBe('IMPLICIT_DENY');
});

test('a condition on an absent key fails, but for IfExists, Null and negated operators', () => {
  const on = (operator: string, value: string) =>
    outcome([allow({ Condition: { [operator]: { 'dynamodb:Select': value } } })]);
  expect(on('StringEquals', 'COUNT')).toBe('IMPLICIT_DENY');
  expect(on('StringEqualsIfExists', 'COUNT')).toBe('ALLOWED');
  expect(on('StringNotEquals', 'COUNT')).toBe('ALLOWED');
  expect(on('Null', 'true')).toBe('ALLOWED');
  expect(on('Null', 'false')).toBe('IMPLICIT_DENY');
});

test('all conditions of a statement must hold', () => {
  const both = allow({ Condition: { StringEquals: { a: '1', b: '2' }, StringNotLike: { c: 'x*' } } });
  expect(outcome([both], { context: { a: '1', b: '2', c: 'y' } })).toBe('ALLOWED');
  expect(outcome([both], { context: { a: '1', b: '3', c: 'y' } })).toBe('IMPLICIT_DENY');
  expect(outcome([both], { context: { a: '1', b: '2', c: 'xy' } })).toBe('IMPLICIT_DENY');
});

test("a topic's policy lets a service publish for its own account over TLS alone", () => {
  const topic = 'arn:aws:sns:us-east-1:000000000000:Alarms';
  const policy = [
    {
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
      Resource: topic,
      Condition: { StringEquals: { 'aws:SourceAccount': '000000000000' } },
    },
    {
      Effect: 'Deny',
      Principal: '*',
      Action: 'sns:Publish',
      Resource: topic,
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    },
  ];
  const publish = (principal: string, account: string, secure: string) =>
    outcome(policy, {
      action: 'sns:Publish',
      resource: topic,
      principal,
      context: { 'aws:SourceAccount': account, 'aws:SecureTransport': secure },
    });
  expect(publish('Service:cloudwatch.amazonaws.com', '000000000000', 'true')).toBe('ALLOWED');
  expect(publish('Service:cloudwatch.amazonaws.com', '111111111111', 'true')).toBe('IMPLICIT_DENY');
  expect(publish('Service:events.amazonaws.com', '000000000000', 'true')).toBe('IMPLICIT_DENY');
  expect(publish('Service:cloudwatch.amazonaws.com', '000000000000', 'false')).toBe('EXPLICIT_DENY');
});

test('ARNs are compared part by part', () => {
  const condition = allow({ Condition: { ArnLike: { 'aws:SourceArn': 'arn:aws:cloudwatch:*:000000000000:alarm:*' } } });
  const from = (arn: string) => outcome([condition], { context: { 'aws:SourceArn': arn } });
  expect(from('arn:aws:cloudwatch:us-east-1:000000000000:alarm:Errors')).toBe('ALLOWED');
  expect(from('arn:aws:cloudwatch:us-east-1:111111111111:alarm:Errors')).toBe('IMPLICIT_DENY');
  expect(from('arn:aws:cloudwatch:us-east-1:1:x:000000000000:alarm:Errors')).toBe('IMPLICIT_DENY');
});

test('an operator or a field that is unknown is an error, not a silent pass', () => {
  expect(() => outcome([limitedTo('DateLessThan', '2020-01-01')])).toThrow('DateLessThan');
  expect(() => readPolicy({ Statement: [{ ...allow(), NotPrincipal: '*' }] })).toThrow('NotPrincipal');
});
