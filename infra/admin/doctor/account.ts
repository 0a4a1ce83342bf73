import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import {
  type EventSourceMappingConfiguration,
  GetAccountSettingsCommand,
  LambdaClient,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { workers } from '../../../shared/contract/workers.ts';
import { stageOf } from '../../stack-name.ts';
import { stages } from '../../stages.ts';
import { type Check, type Finding, findingsOf } from './finding.ts';

/** Checks of a deployed stack by CloudFormation, Lambda, CloudWatch and SNS. */

const completed = new Set(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE']);

/** Whether the last deployment succeeded. */
export const checkDeployment: Check = async ({ stackName }) => {
  const { problem } = findingsOf('deployment');
  const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName: stackName }));
  const status = Stacks?.[0]?.StackStatus ?? 'unknown';
  if (completed.has(status)) return [];
  return [
    status === 'UPDATE_ROLLBACK_COMPLETE'
      ? problem(
          'The last deployment was rolled back.',
          'Read the events of the stack in CloudFormation, and deploy again.',
        )
      : problem(`The stack is in the state ${status}.`, 'Read the events of the stack in CloudFormation.'),
  ];
};

/** Problems of the workers' event source mappings. */
export const mappingFindings = (mappings: readonly EventSourceMappingConfiguration[]): Finding[] => {
  const { problem } = findingsOf('workers');
  const found = mappings.flatMap(({ FunctionArn, State, LastProcessingResult: result }) => {
    const name = FunctionArn?.split(':function:')[1] ?? 'a worker';
    if (State !== 'Enabled')
      return [problem(`The event source mapping of ${name} is ${State}.`, 'Enable it in Lambda.')];
    return result?.startsWith('PROBLEM')
      ? [
          problem(
            `The event source mapping of ${name} fails: ${result}`,
            'Check its source, and the role of the function.',
          ),
        ]
      : [];
  });
  return mappings.length < workers.length
    ? [
        ...found,
        problem(
          `Workers without an event source mapping: ${workers.length - mappings.length}.`,
          'Deploy the stack again.',
        ),
      ]
    : found;
};

export const checkWorkers: Check = async ({ stackName = '' }) => {
  const pages = await Array.fromAsync(paginateListEventSourceMappings({ client: new LambdaClient({}) }, {}));
  const mappings = pages.flatMap(({ EventSourceMappings = [] }) => EventSourceMappings);
  return mappingFindings(mappings.filter(({ FunctionArn }) => FunctionArn?.includes(`:function:${stackName}-`)));
};

/** Whether the quota of concurrent executions is what the stage expects. */
export const checkConcurrency: Check = async ({ stackName = '' }) => {
  const { problem, warning } = findingsOf('concurrency');
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const quota = AccountLimit?.ConcurrentExecutions ?? 0;
  const expected = stages[stageOf(stackName)]?.accountConcurrency;
  if (quota < 100)
    return [
      problem(
        `The quota of concurrent executions is ${quota}: requests and webhooks are throttled.`,
        'Request a quota of 1,000 "Concurrent executions" of Lambda in Service Quotas.',
      ),
    ];
  return expected === undefined || expected === quota
    ? []
    : [
        warning(
          `The quota of concurrent executions is ${quota}, but accountConcurrency in infra/stages.ts is ${expected}.`,
          `Set accountConcurrency to ${quota}.`,
        ),
      ];
};

/** A problem for each alarm in the state ALARM, and a warning if no alarm has an action. */
export const alarmFindings = (alarms: readonly MetricAlarm[]): Finding[] => {
  const { problem, warning } = findingsOf('alarms');
  const raised = alarms.flatMap(({ StateValue, AlarmDescription = '' }) => {
    if (StateValue !== 'ALARM') return [];
    const [impact = '', remedy = 'docs/runbook.md'] = AlarmDescription.split(' What to do: ');
    return [problem(impact, remedy)];
  });
  const isSilent = alarms.length > 0 && alarms.every(({ AlarmActions }) => !AlarmActions?.length);
  if (!isSilent) return raised;
  return [...raised, warning('Alarms notify nobody.', 'Set alarmEmail in infra/stages.ts, or ALARM_EMAIL.')];
};

export const checkAlarms: Check = async ({ stackName }) => {
  const prefix = { AlarmNamePrefix: `${stackName}-` };
  const pages = await Array.fromAsync(paginateDescribeAlarms({ client: new CloudWatchClient({}) }, prefix));
  const alarms = pages.flatMap(({ MetricAlarms = [] }) => MetricAlarms);
  const { warning } = findingsOf('alarms');
  const topics = new Set(
    alarms.flatMap(({ AlarmActions = [] }) => AlarmActions.filter((arn) => arn.includes(':sns:'))),
  );
  const found = alarmFindings(alarms);
  const sns = new SNSClient({});
  for (const TopicArn of topics) {
    const { Subscriptions = [] } = await sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    for (const { Endpoint, SubscriptionArn } of Subscriptions)
      if (SubscriptionArn === 'PendingConfirmation')
        found.push(warning(`${Endpoint} has not confirmed its subscription to alarms.`, 'Open the link in the email.'));
  }
  return found;
};
