import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AccessRequest, evaluate } from '../../../infra/local/iam/evaluate.ts';
import { readPolicy } from '../../../infra/local/iam/policy.ts';
import { settings, templateOf } from './template-of.ts';

let local: Template;
let production: Template;

beforeAll(() => {
  local = templateOf(settings.local);
  production = templateOf(settings.production);
});

describe('an alarm', () => {
  it('notifies somebody only where an address is set', () => {
    expect(local.findResources('AWS::SNS::Subscription', { Properties: { Protocol: 'email' } })).toEqual({});
    production.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [Match.anyValue()] });
    production.hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: settings.production.alarmEmail,
    });
  });

  it('of this account may publish to the topic over TLS, and nobody else may', () => {
    const [topic = ''] = Object.keys(production.findResources('AWS::SNS::Topic')).filter((id) =>
      id.startsWith('Alarms'),
    );
    const policy = Object.values(production.findResources('AWS::SNS::TopicPolicy')).find(
      ({ Properties }) => Properties.Topics[0].Ref === topic,
    );
    const resolved = JSON.stringify(policy?.Properties.PolicyDocument)
      .replaceAll('{"Ref":"AWS::AccountId"}', '"111122223333"')
      .replaceAll(`{"Ref":"${topic}"}`, '"the-topic"');
    expect(resolved).not.toContain('"Ref"');
    const statements = readPolicy(JSON.parse(resolved));
    const publish = { action: 'sns:Publish', resource: 'the-topic', principal: 'Service:cloudwatch.amazonaws.com' };
    const context = { 'aws:SourceAccount': '111122223333', 'aws:SecureTransport': 'true' };
    const outcomeOf = (changes: Partial<AccessRequest>) =>
      evaluate(statements, { ...publish, context, ...changes }).outcome;
    expect(outcomeOf({})).toBe('ALLOWED');
    expect(outcomeOf({ context: { ...context, 'aws:SourceAccount': '444455556666' } })).not.toBe('ALLOWED');
    expect(outcomeOf({ context: { 'aws:SecureTransport': 'true' } })).not.toBe('ALLOWED');
    expect(outcomeOf({ context: { ...context, 'aws:SecureTransport': 'false' } })).toBe('EXPLICIT_DENY');
    for (const principal of ['Service:events.amazonaws.com', 'AWS:arn:aws:iam::444455556666:root'])
      expect(outcomeOf({ principal }), principal).not.toBe('ALLOWED');
    expect(outcomeOf({ action: 'sns:Subscribe' })).not.toBe('ALLOWED');
    expect(outcomeOf({ resource: 'another-topic' })).not.toBe('ALLOWED');
  });
});
