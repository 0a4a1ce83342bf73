import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import {
  type EventSourceMappingConfiguration,
  GetAccountSettingsCommand,
  type GetAccountSettingsResponse,
  LambdaClient,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import { paginateListSubscriptionsByTopic, SNSClient, type Subscription } from '@aws-sdk/client-sns';
import { workers } from '../../../shared/contract/workers.ts';
import { reservedConcurrency } from '../../concurrency.ts';
import { pascalCase } from '../../constructs/pascal-case.ts';
import { stageOf } from '../../stack-name.ts';
import { stages } from '../../stages.ts';
import { physicalIdsOf } from './deployed.ts';
import { type Check, type Finding, findingsOf } from './finding.ts';

/** Checks of a deployed stack by Lambda, CloudWatch and SNS. */

/** Problems of the workers' event source mappings. */
export const mappingFindings = (mappings: readonly EventSourceMappingConfiguration[]): Finding[] => {
  const { problem } = findingsOf('workers');
  const found = mappings.flatMap(({ FunctionArn, State, LastProcessingResult: result }) => {
    const name = FunctionArn?.split(':function:')[1] ?? 'a worker';
    if (State !== 'Enabled')
      return [
        problem(`The event source mapping of ${name} is ${State}.`, 'docs/runbook.md, section "Stopped workers"'),
      ];
    return result?.startsWith('PROBLEM')
      ? [
          problem(
            `The event source mapping of ${name} fails: ${result}`,
            'Check its source, and the role of the function.',
          ),
        ]
      : [];
  });
  const missing = workers.length - mappings.length;
  if (missing <= 0) return found;
  // By name where names are those that CloudFormation makes.
  const without = workers.filter(
    ({ id }) => !mappings.some(({ FunctionArn = '' }) => FunctionArn.includes(pascalCase(id))),
  );
  const names = without.length === missing ? ` (${without.map(({ id }) => id).join(', ')})` : '';
  return [...found, problem(`Workers without an event source mapping: ${missing}${names}.`, 'Deploy the stack again.')];
};

export const checkWorkers: Check = async ({ stackName }) => {
  const [own, pages] = await Promise.all([
    physicalIdsOf(stackName, 'AWS::Lambda::EventSourceMapping'),
    Array.fromAsync(paginateListEventSourceMappings({ client: new LambdaClient({}) }, {})),
  ]);
  const mappings = pages.flatMap(({ EventSourceMappings = [] }) => EventSourceMappings);
  return mappingFindings(mappings.filter(({ UUID = '' }) => own.has(UUID)));
};

/** Problems of the quotas that functions share: how many run at once, and how much code is kept. */
export const quotaFindings = (
  { AccountLimit: limit, AccountUsage: usage }: Pick<GetAccountSettingsResponse, 'AccountLimit' | 'AccountUsage'>,
  stage: (typeof stages)[string] | undefined,
): Finding[] => {
  const { problem, warning } = findingsOf('quotas');
  const found: Finding[] = [];
  const quota = limit?.ConcurrentExecutions ?? 0;
  const reserved = stage ? reservedConcurrency(stage) : 0;
  if (quota < 100)
    found.push(
      problem(
        `The quota of concurrent executions is ${quota}: requests and webhooks are throttled.`,
        'Request a quota of 1,000 "Concurrent executions" of Lambda in Service Quotas.',
      ),
    );
  else if (stage && stage.accountConcurrency !== quota)
    found.push(
      warning(
        `The quota of concurrent executions is ${quota}, but accountConcurrency in infra/stages.ts is ${stage.accountConcurrency}.`,
        `Set accountConcurrency to ${quota}.`,
      ),
    );
  const actuallyReserved = quota - (limit?.UnreservedConcurrentExecutions ?? 0);
  if (limit?.UnreservedConcurrentExecutions !== undefined && actuallyReserved < reserved)
    found.push(
      warning(
        `${actuallyReserved} executions are reserved, but infra/stages.ts reserves ${reserved}: others can take those of the API or of workers.`,
        'Deploy the stack again with the settings of infra/stages.ts.',
      ),
    );
  const [used = 0, most = 0] = [usage?.TotalCodeSize, limit?.TotalCodeSize];
  if (most > 0 && used > 0.8 * most)
    found.push(
      warning(
        `${Math.round((100 * used) / most)} % of the quota of code of functions is used: at 100 % no deployment works.`,
        'Delete old versions of functions, or request more "Function and layer storage" in Service Quotas.',
      ),
    );
  return found;
};

export const checkQuotas: Check = async ({ stackName = '' }) =>
  quotaFindings(await new LambdaClient({}).send(new GetAccountSettingsCommand({})), stages[stageOf(stackName)]);

/** A problem for each alarm in the state ALARM, and warnings for alarms that notify nobody. */
export const alarmFindings = (alarms: readonly MetricAlarm[]): Finding[] => {
  const { problem, warning } = findingsOf('alarms');
  if (alarms.length === 0) return [warning('The stack has no alarms.', 'Deploy the stack again.')];
  const found = alarms.flatMap(({ StateValue, AlarmDescription = '' }) => {
    if (StateValue !== 'ALARM') return [];
    const [impact = '', remedy = 'docs/runbook.md'] = AlarmDescription.split(' What to do: ');
    return [problem(impact, remedy)];
  });
  const silent = alarms.filter(({ AlarmActions, ActionsEnabled }) => !AlarmActions?.length || ActionsEnabled === false);
  if (silent.length === alarms.length)
    found.push(warning('Alarms notify nobody.', 'Set alarmEmail in infra/stages.ts, or ALARM_EMAIL.'));
  else if (silent.length > 0)
    found.push(
      warning(
        `Alarms that notify nobody: ${silent.map(({ AlarmName }) => AlarmName).join(', ')}.`,
        'Enable their actions in CloudWatch, or deploy the stack again.',
      ),
    );
  return found;
};

/** Warnings for those who are not told of alarms yet, and for a topic that tells nobody. */
export const subscriptionFindings = (topicArn: string, subscriptions: readonly Subscription[]): Finding[] => {
  const { warning } = findingsOf('alarms');
  const pending = subscriptions.filter(({ SubscriptionArn: arn }) => arn === 'PendingConfirmation');
  const found = pending.map(({ Endpoint }) =>
    warning(`${Endpoint} has not confirmed its subscription to alarms.`, 'Open the link in the email.'),
  );
  const confirmed = subscriptions.filter(({ SubscriptionArn: arn }) => arn?.startsWith('arn:'));
  if (confirmed.length > 0) return found;
  return [
    ...found,
    warning(
      `Nobody is subscribed to ${topicArn}: alarms notify nobody.`,
      'Confirm the subscription, or deploy again with alarmEmail.',
    ),
  ];
};

export const checkAlarms: Check = async ({ stackName }) => {
  const [own, pages] = await Promise.all([
    physicalIdsOf(stackName, 'AWS::CloudWatch::Alarm'),
    Array.fromAsync(paginateDescribeAlarms({ client: new CloudWatchClient({}) }, {})),
  ]);
  const alarms = pages
    .flatMap(({ MetricAlarms = [] }) => MetricAlarms)
    .filter(({ AlarmName = '' }) => own.has(AlarmName));
  const topics = new Set(
    alarms.flatMap(({ AlarmActions = [] }) => AlarmActions.filter((arn) => arn.includes(':sns:'))),
  );
  const found = alarmFindings(alarms);
  const client = new SNSClient({});
  for (const TopicArn of topics) {
    const subscriptions = await Array.fromAsync(paginateListSubscriptionsByTopic({ client }, { TopicArn }));
    found.push(
      ...subscriptionFindings(
        TopicArn,
        subscriptions.flatMap(({ Subscriptions = [] }) => Subscriptions),
      ),
    );
  }
  return found;
};
