import { randomUUID } from 'node:crypto';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { accountId, region } from '../account.ts';
import { evaluate } from '../iam/evaluate.ts';
import { openIdentities } from '../iam/identities.ts';
import { nameOf, propertiesOf, type Resource, resourcesOf, type Scope } from '../template/template.ts';
import { readExpression } from './expression.ts';
import { type Schedule, type Schedules, startSchedules } from './schedules.ts';

const scheduleProperties = z.object({
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.string().default('UTC'),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  FlexibleTimeWindow: z.strictObject({ Mode: z.literal('OFF') }),
  // Sending to a queue of this machine is not retried: what it lacks is the whole stack.
  Target: z.strictObject({
    Arn: z.string(),
    RoleArn: z.string(),
    Input: z.string(),
    DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
    RetryPolicy: z.looseObject({}).optional(),
  }),
});
type Properties = z.output<typeof scheduleProperties>;

/** Throws a sentence where a schedule has what the local stack does not run, such as another kind of target. */
const readProperties = (scope: Scope, logicalId: string, resource: Resource): Properties => {
  try {
    return propertiesOf(scheduleProperties, resource, scope);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new Error(`The local stack does not run the schedule ${logicalId}: ${z.prettifyError(error)}`);
  }
};

/** What EventBridge Scheduler puts in place of its names in an input. */
const filledIn = (input: string, name: string, scheduledAt: Date): string => {
  const values: Readonly<Record<string, string>> = {
    'aws.scheduler.schedule-arn': `arn:aws:scheduler:${region}:${accountId}:schedule/default/${name}`,
    'aws.scheduler.scheduled-time': scheduledAt.toISOString().replace(/\.\d+Z$/, 'Z'),
    'aws.scheduler.execution-id': randomUUID(),
    'aws.scheduler.attempt-number': '1',
  };
  return input.replaceAll(/<(aws\.scheduler\.[a-z-]+)>/g, (written, key: string) => values[key] ?? written);
};

const queueUrlOf = (scope: Scope, logicalId: string, arn: string): string => {
  const queue = [...scope.resources.values()].find(({ attributes }) => attributes.Arn === arn && attributes.QueueUrl);
  if (!queue) throw new Error(`The local stack does not run the schedule ${logicalId}: ${arn} is no queue of it.`);
  return queue.reference;
};

/** Starts the schedules of a template, and those that others have made of it. Throws where a role does not allow what its schedule does. */
export function startTemplateSchedules(
  scope: Scope,
  {
    queues,
    warn,
    others = [],
    realTime = Date.now,
  }: {
    queues: SQSClient;
    warn: (line: string) => void;
    others?: readonly Schedule[];
    realTime?: () => number;
  },
): Schedules {
  const { identify } = openIdentities(scope);
  const since = new Date(realTime());
  const schedules = resourcesOf(scope, 'AWS::Scheduler::Schedule').flatMap(({ logicalId, resource }): Schedule[] => {
    const properties = readProperties(scope, logicalId, resource);
    const { Arn: target, RoleArn, Input: input, DeadLetterConfig: deadLetters } = properties.Target;
    const name = nameOf(logicalId, resource.Properties?.Name, scope);
    scope.resources.set(logicalId, { reference: name, attributes: {} });
    const QueueUrl = queueUrlOf(scope, logicalId, target);
    const { statements } = identify(name, RoleArn);
    for (const arn of [target, ...(deadLetters ? [deadLetters.Arn] : [])])
      if (evaluate(statements, { action: 'sqs:SendMessage', resource: arn, context: {} }).outcome !== 'ALLOWED')
        throw new Error(`The role of the schedule ${logicalId} does not allow sqs:SendMessage on ${arn}.`);
    if (properties.State === 'DISABLED') return [];
    const { ScheduleExpression, ScheduleExpressionTimezone } = properties;
    const next = readExpression(ScheduleExpression, ScheduleExpressionTimezone, since);
    const run = async (scheduledAt: Date): Promise<void> => {
      await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: filledIn(input, name, scheduledAt) }));
    };
    return [{ name: logicalId, next, run }];
  });
  return startSchedules([...schedules, ...others], { warn, realTime });
}
