import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalAws, startLocalAws } from '../../infra/local/stack.ts';
import type { Json, Template } from '../../infra/local/template/template.ts';

// The local AWS starts what a template schedules, by a clock that other processes turn.

const arnOf = (id: string): Json => ({ 'Fn::GetAtt': [id, 'Arn'] });

const scheduleTo = (target: { [name: string]: Json }, others: { [name: string]: Json } = {}) => ({
  Type: 'AWS::Scheduler::Schedule',
  Properties: {
    ScheduleExpression: 'cron(20 3 * * ? *)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: {
      Arn: arnOf('Work'),
      RoleArn: arnOf('Role'),
      Input: '{"time":"<aws.scheduler.scheduled-time>"}',
      ...target,
    },
    ...others,
  },
});

const templateWith = (Nightly: Template['Resources'][string], allowed: Json = arnOf('Work')): Template => ({
  Resources: {
    Work: { Type: 'AWS::SQS::Queue' },
    Dead: { Type: 'AWS::SQS::Queue' },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        Policies: [
          {
            PolicyName: 'send',
            PolicyDocument: { Statement: [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: allowed }] },
          },
        ],
      },
    },
    Nightly,
  },
  Outputs: { WorkUrl: { Value: { Ref: 'Work' } } },
});

const folder = mkdtempSync(join(tmpdir(), 'schedules-'));
const codeFolder = join(folder, 'code');
let stacks = 0;
const start = (template: Template): Promise<LocalAws> => {
  stacks += 1;
  return startLocalAws({
    readAssembly: async () => ({ stackName: `schedules-${stacks}`, template, codeFolder: () => codeFolder }),
    port: 0,
    dataFolder: join(folder, String(stacks)),
    ephemeral: true,
  });
};

let aws: LocalAws;
let queues: SQSClient;
beforeAll(async () => {
  mkdirSync(codeFolder);
  writeFileSync(join(codeFolder, 'package.json'), '{}');
  aws = await start(templateWith(scheduleTo({})));
  queues = new SQSClient({ endpoint: aws.sqsEndpoint, region: aws.region, credentials: aws.credentials });
});
afterAll(async () => {
  queues?.destroy();
  await aws?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const turnTo = async (to: string) => {
  const response = await fetch(aws.clockEndpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to }),
  });
  return { status: response.status, body: await response.json() };
};

const received = async (): Promise<string[]> => {
  const request = { QueueUrl: aws.outputs.WorkUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 };
  const { Messages = [] } = await queues.send(new ReceiveMessageCommand(request));
  return Messages.map(({ Body = '' }) => Body).toSorted();
};

it('a message is sent for each time that the clock passes, with that time', async () => {
  const QueueUrl = aws.outputs.WorkUrl;
  const { Attributes } = await queues.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  expect(Attributes?.ApproximateNumberOfMessages).toBe('0');
  const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  await turnTo(`${tomorrow}T03:19:59Z`);
  await received();
  expect(await turnTo(`${tomorrow}T03:20:00Z`)).toEqual({
    status: 200,
    body: { runs: [{ name: 'Nightly', scheduledAt: `${tomorrow}T03:20:00.000Z` }] },
  });
  expect(await received()).toEqual([`{"time":"${tomorrow}T03:20:00Z"}`]);
});

it('the clock says its time, which goes on from where it was turned to', async () => {
  const time = async () => Date.parse((await (await fetch(aws.clockEndpoint)).json()).now);
  const before = await time();
  await turnTo(new Date(before + 3_600_000).toISOString());
  const after = await time();
  expect(after - before).toBeGreaterThanOrEqual(3_600_000);
  expect(after - before).toBeLessThan(3_660_000);
});

it('the clock is told a time in the future alone, as JSON', async () => {
  expect(await turnTo('2020-01-01T00:00:00Z')).toEqual({
    status: 400,
    body: { error: expect.stringContaining('not turned back') },
  });
  expect((await turnTo('tomorrow')).status).toBe(400);
  const page = await fetch(aws.clockEndpoint, { method: 'POST', body: '{"to":"2126-01-01T00:00:00Z"}' });
  expect(page.status).toBe(400);
});

it('a schedule that is disabled starts nothing', async () => {
  const other = await start(templateWith(scheduleTo({}, { State: 'DISABLED' })));
  const to = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(other.clockEndpoint, { method: 'POST', headers, body: JSON.stringify({ to }) });
  await other.stop();
  expect(await response.json()).toEqual({ runs: [] });
});

it.each<[string, Template, string]>([
  ['whose role may not send', templateWith(scheduleTo({}), arnOf('Dead')), 'does not allow sqs:SendMessage on'],
  [
    'whose role may not send its dead letters',
    templateWith(scheduleTo({ DeadLetterConfig: { Arn: arnOf('Dead') } })),
    'does not allow sqs:SendMessage on',
  ],
  [
    'to something that is no queue',
    templateWith(scheduleTo({ Arn: 'arn:aws:sns:x' })),
    'does not run the schedule Nightly',
  ],
  [
    'with parameters that are not run',
    templateWith(scheduleTo({ SqsParameters: {} })),
    'Unrecognized key: "SqsParameters"',
  ],
  [
    'within a window of time',
    templateWith(scheduleTo({}, { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } })),
    'does not run the schedule Nightly',
  ],
  [
    'that ends at some time',
    templateWith(scheduleTo({}, { EndDate: '2027-01-01T00:00:00Z' })),
    'does not run the property EndDate of the resource Nightly of type AWS::Scheduler::Schedule',
  ],
  ['at no time', templateWith(scheduleTo({}, { ScheduleExpression: 'daily' })), 'daily is not a schedule'],
])('a schedule %s stops the start with a sentence', async (_, template, sentence) => {
  await expect(start(template)).rejects.toThrow(sentence);
});
