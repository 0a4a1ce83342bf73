import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SESv2Client, SendEmailCommand, type SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { deploySending, openSending, validateDestinations } from '../../infra/local/mails/deploy-mails.ts';
import { createMailbox } from '../../infra/local/mails/mailbox.ts';
import { mailsPath, respondFromMailbox } from '../../infra/local/mails/mailbox-page.ts';
import type { Json, Scope } from '../../infra/local/template/template.ts';
import { appUrl, freshEmail } from '../support/browser.ts';
import { sendRequest } from '../support/http.ts';
import { mailsTo } from '../support/mails.ts';
import { assumeFunctionRole } from '../support/permissions.ts';

// What SES refuses, the local stack refuses.

const from = 'programs@local.example';
const email = (overrides: Partial<SendEmailCommandInput> = {}, simple: object = {}): SendEmailCommand =>
  new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [freshEmail()] },
    Content: { Simple: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'Hello' } }, ...simple } },
    ...overrides,
  });
const clientOf = (accessKeyId: string): SESv2Client => {
  const { AWS_ENDPOINT_URL_SESV2: endpoint = '', AWS_REGION: region = '' } = inject('stackEnvironment');
  return new SESv2Client({ endpoint, region, credentials: { accessKeyId, secretAccessKey: 'local' }, maxAttempts: 1 });
};
let operator: SESv2Client;
let worker: SESv2Client;
beforeAll(async () => {
  operator = clientOf('local');
  worker = clientOf(await assumeFunctionRole(inject('stackEnvironment'), 'send-mail'));
});
const to = (...ToAddresses: string[]) => ({ Destination: { ToAddresses } });
const header = (Name: string, Value: string) => ({ Headers: [{ Name, Value }] });

describe('SES refuses', () => {
  it.each<[string, SendEmailCommand, string, string | RegExp]>([
    [
      'a sender whose domain is no identity',
      email({ FromEmailAddress: 'a@elsewhere.example' }),
      'MessageRejected',
      /not verified.*a@elsewhere/,
    ],
    ['a configuration set that does not exist', email({ ConfigurationSetName: 'none' }), 'NotFoundException', /<none>/],
    ['no recipient', email(to()), 'BadRequestException', /Destination/],
    ['too many recipients', email(to(...Array.from({ length: 51 }, freshEmail))), 'BadRequestException', /exceeds 50/],
    ['an address without a domain', email(to('noor')), 'BadRequestException', /Missing final/],
    ['an address with a space', email(to('no or@example.com')), 'BadRequestException', /./],
    ['an address of other letters than ASCII', email(to('noor@bücher.example')), 'BadRequestException', /./],
    [
      'an address with a second one behind it',
      email(to('a@example.com\r\nBcc: b@example.com')),
      'BadRequestException',
      /./,
    ],
    [
      'a display name that is not encoded',
      email({ FromEmailAddress: `Blumen, Müller <${from}>` }),
      'BadRequestException',
      /./,
    ],
    [
      'a header with a line break',
      email({}, header('X-One', 'a\r\nBcc: b@example.com')),
      'BadRequestException',
      /X-One/,
    ],
    ['a header of its own', email({}, header('Bcc', 'b@example.com')), 'BadRequestException', /Bcc/],
    ['a header name with a colon', email({}, header('A:b', 'c')), 'BadRequestException', /A:b/],
    ['a subject with a line break', email({}, { Subject: { Data: 'a\nb' } }), 'BadRequestException', /Subject/],
    ['no body', email({}, { Body: {} }), 'BadRequestException', /Body/],
    ['letters that are not of the charset', email({}, { Subject: { Data: 'é' } }), 'BadRequestException', /US-ASCII/],
    [
      'what is too large',
      email({}, { Body: { Text: { Data: 'a'.repeat(11 * 1024 ** 2) } } }),
      'BadRequestException',
      /length/,
    ],
  ])('%s', async (_what, command, name, message) => {
    await expect(operator.send(command)).rejects.toMatchObject({ name, message: expect.stringMatching(message) });
  });

  it('a function whose role does not allow the sender, or a mail without the configuration set that says what became of it', async () => {
    const refusal = { name: 'AccessDeniedException', $metadata: { httpStatusCode: 403 } };
    await expect(worker.send(email({ FromEmailAddress: 'other@local.example' }))).rejects.toMatchObject(refusal);
    await expect(worker.send(email({ ConfigurationSetName: 'other' }))).rejects.toMatchObject(refusal);
    const another = clientOf(await assumeFunctionRole(inject('stackEnvironment'), 'mail-feedback'));
    await expect(another.send(email())).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('is not authorized to perform: ses:SendEmail on resource: arn:aws:ses:'),
    });
    expect((await worker.send(email())).MessageId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a caller that it does not know', async () => {
    await expect(clientOf('stranger').send(email())).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
  });
});

describe('the mailbox', () => {
  it('lists what was sent, newest first, with each mail as HTML and as text', async () => {
    const address = freshEmail();
    const body = { Html: { Data: '<p>Hello <b>Noor</b></p>' }, Text: { Data: 'Hello Noor' } };
    for (const Data of ['First <one>', 'Second'])
      await operator.send(email(to(address), { Subject: { Data }, Body: body }));
    expect((await mailsTo(address)).map(({ subject }) => subject)).toEqual(['Second', 'First <one>']);
    const get = async (path: string, accept = 'text/html') =>
      sendRequest(new URL(path, appUrl()), { headers: { accept } });
    const { text: list } = await get(mailsPath);
    expect(list).not.toContain('<one>');
    const [, path = ''] = new RegExp(`${address}</td><td><a href="([^"]+)">First`).exec(list) ?? [];
    const html = await get(path);
    expect([html.status, html.text]).toEqual([200, '<p>Hello <b>Noor</b></p>']);
    expect(html.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await get(`${path}/text`)).text).toBe('Hello Noor');
    for (const wrong of [`${mailsPath}/x`, `${path}/other`])
      expect([wrong, (await get(wrong)).status]).toEqual([wrong, 404]);
    expect((await sendRequest(new URL(mailsPath, appUrl()), { method: 'POST' })).status).toBe(405);
  });

  it('keeps 500 mails, and no path of a template is its own', () => {
    const mailbox = createMailbox();
    const mail = { to: 'a@example.com', from, replyTo: '', text: '', html: '', headers: {}, sentAt: '' };
    for (let at = 0; at < 502; at++) mailbox.add({ ...mail, subject: String(at) });
    expect([mailbox.all().length, mailbox.all()[0]?.subject, mailbox.all().at(-1)?.subject]).toEqual([500, '501', '2']);
    for (const path of ['/', '/local', '/local/mailsbox', '/api/local/mails'])
      expect(respondFromMailbox(mailbox, { method: 'GET', path, accept: '' })).toBeUndefined();
  });
});

it('the validation of the topic, which each deployment causes, is taken by the function behind it', async () => {
  const log = () => readFileSync(join(inject('logFolder'), 'mail-feedback.log'), 'utf8');
  await expect.poll(log).toContain('message ignored');
  expect(log()).not.toContain('message failed');
});

describe('a template', () => {
  const arn = 'arn:aws:sns:us-east-1:000000000000:Stack-Topic';
  const allow = (about: string, references: Json[], service: string, action: string, resource: string) => ({
    [about]: references,
    PolicyDocument: {
      Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: action, Resource: resource }],
    },
  });
  const scopeWith = (withPolicies: { topic: boolean; queue: boolean }): Scope => ({
    template: {
      Resources: {
        Identity: { Type: 'AWS::SES::EmailIdentity', Properties: { EmailIdentity: 'example.com' } },
        Set: { Type: 'AWS::SES::ConfigurationSet' },
        Topic: { Type: 'AWS::SNS::Topic' },
        ...(withPolicies.topic && {
          TopicPolicy: {
            Type: 'AWS::SNS::TopicPolicy',
            Properties: allow('Topics', [{ Ref: 'Topic' }], 'ses.amazonaws.com', 'sns:Publish', arn),
          },
        }),
        ...(withPolicies.queue && {
          QueuePolicy: {
            Type: 'AWS::SQS::QueuePolicy',
            Properties: allow('Queues', ['url'], 'sns.amazonaws.com', 'sqs:SendMessage', 'arn:queue'),
          },
        }),
        Subscription: {
          Type: 'AWS::SNS::Subscription',
          Properties: { Protocol: 'sqs', TopicArn: { Ref: 'Topic' }, Endpoint: 'arn:queue' },
        },
        Destination: {
          Type: 'AWS::SES::ConfigurationSetEventDestination',
          Properties: {
            ConfigurationSetName: { Ref: 'Set' },
            EventDestination: { MatchingEventTypes: ['bounce'], SnsDestination: { TopicARN: { Ref: 'Topic' } } },
          },
        },
      },
    },
    pseudoParameters: { 'AWS::StackName': 'Stack' },
    resources: new Map([['Queue', { reference: 'url', attributes: { Arn: 'arn:queue' } }]]),
  });
  const open = (withPolicies: { topic: boolean; queue: boolean }, queues = new SQSClient({ region: 'us-east-1' })) => {
    const scope = scopeWith(withPolicies);
    deploySending(scope);
    return openSending(scope, queues);
  };

  it('whose policies let SES publish and the topic send is run', () => {
    expect(open({ topic: true, queue: true }).domains).toEqual(['example.com']);
  });

  it('has each event destination validated, by a text that is no JSON', async () => {
    const queues = new SQSClient({ region: 'us-east-1' });
    const sent: object[] = [];
    vi.spyOn(queues, 'send').mockImplementation(async ({ input }: { input: object }) => {
      sent.push({ ...input });
    });
    await validateDestinations(open({ topic: true, queue: true }, queues));
    expect(sent).toMatchObject([
      { QueueUrl: 'url', MessageBody: expect.stringContaining('"Message":"Successfully validated SNS topic') },
    ]);
  });

  it.each([
    { policies: { topic: false, queue: true }, sentence: 'allows ses.amazonaws.com the action sns:Publish' },
    { policies: { topic: true, queue: false }, sentence: 'allows sns.amazonaws.com the action sqs:SendMessage' },
  ])('is refused where none $sentence', ({ policies, sentence }) => {
    expect(() => open(policies)).toThrow(`No policy of the template ${sentence}`);
  });
});
