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

/** What CloudFormation, Lambda, CloudWatch and SNS say of a deployed stack. */

const completed = new Set(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE']);

/** Whether the last deployment succeeded. */
export const checkDeployment: Check = async ({ stackName }) => {
  const { problem } = findingsOf('deployment');
  const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName: stackName }));
  const status = Stacks?.[0]?.StackStatus ?? 'unknown';
  if (completed.has(status)) return [];
  return [
    status === 'UPDATE_ROLLBACK_COMPLETE'
      ? problem('The last deployment failed and was taken back.', 'Read the events of the stack, and deploy again.')
      : problem(`The stack is in the state ${status}.`, 'Read the events of the stack in CloudFormation.'),
  ];
};

/** What is wrong with what starts the workers. */
export const mappingFindings = (mappings: readonly EventSourceMappingConfiguration[]): Finding[] => {
  const { problem } = findingsOf('workers');
  const found = mappings.flatMap(({ FunctionArn, State, LastProcessingResult: result }) => {
    const name = FunctionArn?.split(':function:')[1] ?? 'a worker';
    if (State !== 'Enabled')
      return [problem(`${name} is not started: its source is ${State}.`, 'Enable it in Lambda.')];
    return result?.startsWith('PROBLEM')
      ? [problem(`${name} cannot read its source: ${result}`, 'Check the permissions of its role, and its source.')]
      : [];
  });
  return mappings.length < workers.length
    ? [...found, problem(`${workers.length - mappings.length} workers have no source.`, 'Deploy the stack again.')]
    : found;
};

export const checkWorkers: Check = async ({ stackName = '' }) => {
  const mappings: EventSourceMappingConfiguration[] = [];
  for await (const page of paginateListEventSourceMappings({ client: new LambdaClient({}) }, {}))
    mappings.push(...(page.EventSourceMappings ?? []));
  return mappingFindings(mappings.filter(({ FunctionArn }) => FunctionArn?.includes(`:function:${stackName}-`)));
};

/** Whether the account may run as many functions as the stage counts on. */
export const checkConcurrency: Check = async ({ stackName = '' }) => {
  const { problem, warning } = findingsOf('concurrency');
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const quota = AccountLimit?.ConcurrentExecutions ?? 0;
  const counted = stages[stageOf(stackName)]?.accountConcurrency;
  if (quota < 100)
    return [
      problem(
        `This account runs ${quota} functions at once: a few requests and webhooks together are refused.`,
        'Ask for 1,000 "Concurrent executions" of Lambda in Service Quotas.',
      ),
    ];
  return counted === undefined || counted === quota
    ? []
    : [
        warning(
          `The account runs ${quota} functions at once; infra/stages.ts says ${counted}, and the alarm counts on that.`,
          `Set accountConcurrency to ${quota}.`,
        ),
      ];
};

/** The alarms that are raised, and whether anybody is told of them. */
export const alarmFindings = (alarms: readonly MetricAlarm[]): Finding[] => {
  const { problem, warning } = findingsOf('alarms');
  const raised = alarms.flatMap(({ StateValue, AlarmDescription = '' }) => {
    if (StateValue !== 'ALARM') return [];
    const [impact = '', remedy = 'docs/runbook.md'] = AlarmDescription.split(' What to do: ');
    return [problem(impact, remedy)];
  });
  const isSilent = alarms.length > 0 && alarms.every(({ AlarmActions }) => !AlarmActions?.length);
  if (!isSilent) return raised;
  return [...raised, warning('Nobody is told of alarms.', 'Set alarmEmail in infra/stages.ts, or ALARM_EMAIL.')];
};

export const checkAlarms: Check = async ({ stackName }) => {
  const alarms: MetricAlarm[] = [];
  const prefix = { AlarmNamePrefix: `${stackName}-` };
  for await (const page of paginateDescribeAlarms({ client: new CloudWatchClient({}) }, prefix))
    alarms.push(...(page.MetricAlarms ?? []));
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
        found.push(warning(`${Endpoint} gets no alarms yet.`, 'Confirm the subscription by the link in its email.'));
  }
  return found;
};
