import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { MailIdentity } from '../../../infra/constructs/mail.ts';
import type { Settings } from '../../../infra/settings.ts';
import { lambdasWithNeeds } from './deployed-function.ts';
import { idOf, readable, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';
import { templateOfPart } from './template-of-part.ts';

let production: Template;
let dev: Template;
let local: Template;

beforeAll(() => {
  production = templateOf(settings.production);
  dev = templateOf(settings.dev);
  local = templateOf(settings.local);
});

const only = (of: Template, type: string) => {
  const [found, ...others] = resources(of, type);
  expect(others).toEqual([]);
  return found?.[1];
};

describe('a stage with mailFrom', () => {
  it('has its domain as an identity, which outlives the stack where data do', () => {
    expect(only(production, 'AWS::SES::EmailIdentity')).toEqual({ EmailIdentity: 'example.com' });
    const [identity] = Object.values(production.findResources('AWS::SES::EmailIdentity'));
    expect(identity?.DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  it('is told of bounces and complaints by a queue, to which this topic alone sends, and to the topic SES alone', () => {
    expect(only(production, 'AWS::SES::ConfigurationSetEventDestination')).toMatchObject({
      EventDestination: { MatchingEventTypes: ['bounce', 'complaint'], SnsDestination: {} },
    });
    expect(only(production, 'AWS::SES::ConfigurationSet')).toEqual({
      SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    });
    const subscriptions = resources(production, 'AWS::SNS::Subscription').map(([, properties]) => properties);
    const toQueue = subscriptions.find(({ Protocol }) => Protocol === 'sqs');
    expect(toQueue).toMatchObject({ RawMessageDelivery: true });
    expect(readable(toQueue?.Endpoint)).toBe('<MailFeedbackQueue.Arn>');
    const topic = idOf(toQueue?.TopicArn);
    const allowed = (type: string, about: string, id: string) =>
      resources(production, type)
        .filter(([, properties]) => (properties[about] as unknown[]).map(idOf).includes(id))
        .flatMap(([, properties]) => (properties.PolicyDocument as { Statement: { Effect: string }[] }).Statement)
        .filter(({ Effect }) => Effect === 'Allow');
    const [queue] =
      resources(production, 'AWS::SQS::Queue').find(([id]) => /^MailFeedbackQueue[0-9A-F]{8}$/.test(id)) ?? [];
    expect(allowed('AWS::SQS::QueuePolicy', 'Queues', queue ?? '')).toMatchObject([
      {
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Condition: { ArnEquals: { 'aws:SourceArn': { Ref: topic } } },
      },
    ]);
    expect(allowed('AWS::SNS::TopicPolicy', 'Topics', topic)).toMatchObject([
      {
        Principal: { Service: 'ses.amazonaws.com' },
        Action: 'sns:Publish',
        Condition: { StringEquals: { 'AWS:SourceAccount': { Ref: 'AWS::AccountId' }, 'AWS:SourceArn': {} } },
      },
    ]);
  });

  it.each([
    { stage: 'local', from: 'programs@local.example', template: () => local },
    { stage: 'prod', from: 'programs@example.com', template: () => production },
  ])('lets send-mail alone send in $stage, from that address and with the configuration set', ({ from, template }) => {
    const sending = lambdasWithNeeds(template(), template() === production ? 'zapier' : undefined).flatMap(
      ({ name, deployed }) =>
        deployed.statements.flatMap(({ Action, Resource, Condition }) =>
          [Action].flat().some((action) => action.startsWith('ses:'))
            ? [{ name, Action, resources: [Resource].flat().map(readable), Condition }]
            : [],
        ),
    );
    expect(sending).toMatchObject([
      { name: 'send-mail', Action: 'ses:SendEmail', Condition: { StringEquals: { 'ses:FromAddress': from } } },
    ]);
    expect(sending[0]?.resources.map((arn) => arn.replace(/^.*:/, ''))).toEqual([
      'identity/<MailIdentity>',
      'configuration-set/<MailSendingSet>',
    ]);
  });
});

it('a stage without mailFrom has nothing that could send a mail', () => {
  for (const type of ['EmailIdentity', 'ConfigurationSet', 'ConfigurationSetEventDestination'])
    expect(dev.findResources(`AWS::SES::${type}`)).toEqual({});
  expect(JSON.stringify(dev.toJSON())).not.toMatch(/ses:SendEmail|MAIL_FROM/);
});

describe('the domain of mailFrom', () => {
  const hostedZone = { id: 'Z123', name: 'example.com' };
  const made = (mailDomain: Settings['mailDomain']) =>
    templateOfPart((stack) => new MailIdentity(stack, 'programs@mail.example.com', { ...settings.dev, mailDomain }));

  it('has its DKIM records in its zone, or in the outputs of the stack', () => {
    const { template, part } = made({ identity: 'create', hostedZone });
    expect(
      resources(template, 'AWS::Route53::RecordSet').map(([, { Type, HostedZoneId }]) => [Type, HostedZoneId]),
    ).toEqual(Array.from({ length: 3 }, () => ['CNAME', 'Z123']));
    expect(part.dnsRecords).toEqual({});
    const { template: withoutZone, part: told } = made(undefined);
    expect(withoutZone.findResources('AWS::Route53::RecordSet')).toEqual({});
    expect(Object.keys(told.dnsRecords)).toEqual(['MailDkim1', 'MailDkim2', 'MailDkim3']);
  });

  it('is not made where the region has it already', () => {
    const { template, part } = made({ identity: 'exists' });
    expect(template.toJSON().Resources ?? {}).toEqual({});
    expect(part.arn).toMatch(/:identity\/mail\.example\.com$/);
  });
});
