import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { pascalCase } from '../../../infra/constructs/pascal-case.ts';
import { readExpression } from '../../../infra/local/schedules/expression.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { idOf, readable, resource, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

const everyWorker: readonly Worker[] = workers;
const scheduled = everyWorker.flatMap(({ id, timeoutSeconds, trigger }) =>
  trigger.kind === 'schedule' ? [{ id, timeoutSeconds, expression: trigger.expression }] : [],
);

let template: Template;

beforeAll(() => {
  template = templateOf(settings.production);
});

interface Target {
  Arn: unknown;
  RoleArn: unknown;
  Input: string;
  DeadLetterConfig: { Arn: unknown };
}

const scheduleOf = (id: string) => {
  const [[, schedule] = [], ...others] = resources(template, 'AWS::Scheduler::Schedule').filter(([name]) =>
    name.startsWith(`${pascalCase(id)}Schedule`),
  );
  expect(others).toEqual([]);
  return { schedule, target: schedule?.Target as Target };
};

describe.each(scheduled)('the schedule of $id', ({ id, timeoutSeconds, expression }) => {
  const queue = `${pascalCase(id)}Queue`;

  it('sends the time to the queue of its worker, which starts it then and at no other time', () => {
    const { schedule, target } = scheduleOf(id);
    const { Target: _, ...when } = schedule ?? {};
    expect(when).toEqual({
      ScheduleExpression: expression,
      FlexibleTimeWindow: { Mode: 'OFF' },
    });
    expect(readable(target.Arn)).toBe(`<${queue}.Arn>`);
    expect(JSON.parse(target.Input)).toEqual({ time: '<aws.scheduler.scheduled-time>' });
    const sources = resources(template, 'AWS::Lambda::EventSourceMapping').filter(
      ([, { EventSourceArn }]) => readable(EventSourceArn) === `<${queue}.Arn>`,
    );
    expect(sources).toHaveLength(1);
  });

  it('is a time that comes', () => {
    const now = new Date();
    expect(readExpression(expression, 'UTC', now)(now)?.getTime()).toBeGreaterThan(now.getTime());
  });

  it('keeps what it could not send among the dead letters of its worker', () => {
    expect(readable(scheduleOf(id).target.DeadLetterConfig.Arn)).toBe(`<${queue}DeadLetters.Arn>`);
  });

  it('may send to these two queues and do nothing else, and only EventBridge Scheduler of this account may use its role', () => {
    const role = resource(template, 'AWS::IAM::Role', idOf(scheduleOf(id).target.RoleArn));
    const [{ PolicyDocument } = { PolicyDocument: { Statement: [] } }, ...others] = role.Policies as {
      PolicyDocument: { Statement: { Action: string; Effect: string; Resource: unknown[] }[] };
    }[];
    expect([others, role.ManagedPolicyArns]).toEqual([[], undefined]);
    expect(PolicyDocument.Statement.map(({ Resource, ...one }) => ({ ...one, of: Resource.map(readable) }))).toEqual([
      { Action: 'sqs:SendMessage', Effect: 'Allow', of: [`<${queue}.Arn>`, `<${queue}DeadLetters.Arn>`] },
    ]);
    expect(role.AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        {
          Action: 'sts:AssumeRole',
          Principal: { Service: 'scheduler.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ],
    });
  });

  it('leads to one message at a time, five times at most, hidden for six times as long as its worker may run', () => {
    const [[, mapping] = []] = resources(template, 'AWS::Lambda::EventSourceMapping').filter(([name]) =>
      name.startsWith(`${pascalCase(id)}Source`),
    );
    expect(mapping).toMatchObject({ BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } });
    const [[, { VisibilityTimeout, RedrivePolicy } = {}] = []] = resources(template, 'AWS::SQS::Queue').filter(
      ([name]) => name.startsWith(queue) && !name.startsWith(`${queue}DeadLetters`),
    );
    expect([VisibilityTimeout, RedrivePolicy]).toMatchObject([6 * timeoutSeconds, { maxReceiveCount: 5 }]);
  });
});

it('there are no other schedules', () => {
  expect(scheduled.length).toBeGreaterThan(0);
  expect(resources(template, 'AWS::Scheduler::Schedule')).toHaveLength(scheduled.length);
});
