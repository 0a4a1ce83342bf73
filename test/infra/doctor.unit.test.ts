import type { MetricAlarm } from '@aws-sdk/client-cloudwatch';
import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import {
  alarmFindings,
  mappingFindings,
  quotaFindings,
  subscriptionFindings,
} from '../../infra/admin/doctor/account.ts';
import { deploymentFindings } from '../../infra/admin/doctor/deployed.ts';
import { scheduleFindings } from '../../infra/admin/doctor/schedules.ts';
import { tableFindings } from '../../infra/admin/doctor/tables.ts';
import { reservedConcurrency } from '../../infra/concurrency.ts';
import { pascalCase } from '../../infra/constructs/pascal-case.ts';
import { readSettings } from '../../infra/settings.ts';
import { workers } from '../../shared/contract/workers.ts';

// Findings from responses of AWS. test/local/restore.commands.test.ts and the rehearsal run it against stacks.

const active = { IndexName: 'GSI1', IndexStatus: 'ACTIVE' } as const;
const stream = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
const table: TableDescription = {
  TableStatus: 'ACTIVE',
  GlobalSecondaryIndexes: [active],
  StreamSpecification: stream,
};
const expected = { name: 'Records', indexes: ['GSI1'], hasStream: true };
const arn = 'arn:aws:lambda:eu-central-1:111122223333:function:affiliate-program-prod-Worker';
const mapping = { FunctionArn: arn, State: 'Enabled', LastProcessingResult: 'OK' };
const allMappings = workers.map(() => mapping);
const texts = (findings: readonly { text: string }[]): string => findings.map(({ text }) => text).join('\n');

it('a healthy table, event source mappings and alarms are no finding', () => {
  expect(tableFindings(expected, table)).toEqual([]);
  expect(mappingFindings(allMappings)).toEqual([]);
  expect(alarmFindings([{ StateValue: 'OK', AlarmActions: ['arn:aws:sns:::topic'] }])).toEqual([]);
});

it.each([
  ['is UPDATING', { TableStatus: 'UPDATING' }],
  ['has no index GSI1', { GlobalSecondaryIndexes: [] }],
  ['GSI1 of Records is CREATING', { GlobalSecondaryIndexes: [{ ...active, IndexStatus: 'CREATING' }] }],
  ['has no stream', { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } }],
] satisfies [string, TableDescription][])('a table that %s is a problem', (words, changed) => {
  const findings = tableFindings(expected, { ...table, ...changed });
  expect(findings).toMatchObject([{ level: 'problem' }]);
  expect(texts(findings)).toContain(words);
});

it('an event source mapping that is disabled, failing or missing is a problem', () => {
  const some = [
    { ...mapping, State: 'Disabled' },
    { ...mapping, LastProcessingResult: 'PROBLEM: no permission' },
  ];
  const said = texts(mappingFindings([...some, ...allMappings.slice(3)]));
  expect(said).toContain('The event source mapping of affiliate-program-prod-Worker is Disabled.');
  expect(said).toContain('fails: PROBLEM: no permission');
  expect(said).toContain('Workers without an event source mapping: 1.');
});

it('a stack whose last deployment failed is a problem, and data without termination protection a warning', () => {
  const stack = { StackName: 'data', StackStatus: 'UPDATE_COMPLETE', EnableTerminationProtection: true } as const;
  expect(deploymentFindings(stack, true)).toEqual([]);
  expect(deploymentFindings({ ...stack, EnableTerminationProtection: false }, false)).toEqual([]);
  expect(deploymentFindings({ ...stack, EnableTerminationProtection: false }, true)).toMatchObject([
    { level: 'warning', text: 'Termination protection is disabled for data: one command deletes it.' },
  ]);
  expect(deploymentFindings({ ...stack, StackStatus: 'UPDATE_ROLLBACK_COMPLETE' }, true)).toMatchObject([
    { level: 'problem', text: 'The last deployment of data was rolled back.' },
  ]);
  expect(deploymentFindings({ ...stack, StackStatus: 'DELETE_FAILED' }, true)).toMatchObject([
    { level: 'problem', text: 'The stack data is in the state DELETE_FAILED.' },
  ]);
});

it('an alarm is a problem with its section of the runbook, and alarms that notify nobody are a warning', () => {
  const AlarmDescription = 'Requests end in 5xx. What to do: docs/runbook.md, section "Server errors".';
  expect(alarmFindings([{ StateValue: 'ALARM', AlarmDescription, AlarmActions: [] }])).toEqual([
    {
      level: 'problem',
      check: 'alarms',
      text: 'Requests end in 5xx.',
      remedy: 'docs/runbook.md, section "Server errors".',
    },
    expect.objectContaining({ level: 'warning', text: 'Alarms notify nobody.' }),
  ]);
});

it('a worker without an event source mapping is named, where functions have the names that CloudFormation gives', () => {
  const named = workers.map(({ id }) => ({ ...mapping, FunctionArn: `${arn}-${pascalCase(id)}Function1A2B-x:live` }));
  expect(mappingFindings(named)).toEqual([]);
  expect(texts(mappingFindings(named.slice(1)))).toBe(`Workers without an event source mapping: 1 (${workers[0].id}).`);
});

it('a schedule that is disabled or missing is a problem, because its worker does not start', () => {
  const schedules = workers
    .filter(({ trigger }) => trigger.kind === 'schedule')
    .map(({ id }) => ({ Name: `affiliate-program-prod-${pascalCase(id)}`, State: 'ENABLED' as const }));
  expect(schedules.length).toBeGreaterThan(0);
  expect(scheduleFindings(schedules)).toEqual([]);
  const [first, ...others] = schedules;
  const disabled = { Name: first?.Name, State: 'DISABLED' as const };
  expect(scheduleFindings([disabled, ...others])).toEqual([
    {
      level: 'problem',
      check: 'schedules',
      text: `The schedule ${first?.Name} is DISABLED: its worker does not start.`,
      remedy: 'docs/runbook.md, section "Stopped workers"',
    },
  ]);
  expect(texts(scheduleFindings(others))).toBe('Scheduled workers without a schedule: 1.');
});

it('alarms that are missing, or partly notify nobody, are a warning', () => {
  expect(alarmFindings([])).toMatchObject([{ level: 'warning', text: 'The stack has no alarms.' }]);
  const notifying = {
    AlarmName: 'One',
    StateValue: 'OK' as const,
    AlarmActions: ['arn:aws:sns:::topic'],
  } satisfies MetricAlarm;
  const silent = { ...notifying, AlarmName: 'Two', ActionsEnabled: false };
  expect(alarmFindings([notifying, silent])).toMatchObject([
    { level: 'warning', text: 'Alarms that notify nobody: Two.' },
  ]);
});

it('a topic without a confirmed subscriber is a warning, and so is each who has not confirmed', () => {
  const confirmed = { Endpoint: 'a@example.com', SubscriptionArn: 'arn:aws:sns:eu-central-1:1:topic:id' };
  const pending = { Endpoint: 'b@example.com', SubscriptionArn: 'PendingConfirmation' };
  const nobody = 'Nobody is subscribed to arn:topic: alarms notify nobody.';
  const waits = 'b@example.com has not confirmed its subscription to alarms.';
  const found = (...subscriptions: object[]) => texts(subscriptionFindings('arn:topic', subscriptions));
  expect(found(confirmed)).toBe('');
  expect(found(confirmed, pending)).toBe(waits);
  expect(found(pending)).toBe(`${waits}\n${nobody}`);
  expect(found()).toBe(nobody);
  expect(found({ Endpoint: 'c@example.com', SubscriptionArn: 'Deleted' })).toBe(nobody);
});

describe('quotas', () => {
  const { stage: _name, ...prod } = readSettings({ STAGE: 'prod' });
  const reserved = reservedConcurrency(prod);
  const limit = { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 - reserved, TotalCodeSize: 100 };
  const found = (changed: object, TotalCodeSize = 80) =>
    quotaFindings({ AccountLimit: { ...limit, ...changed }, AccountUsage: { TotalCodeSize } }, prod);

  it('that are as the stage expects are no finding', () => {
    expect(found({})).toEqual([]);
    expect(quotaFindings({ AccountLimit: limit }, undefined)).toEqual([]);
  });

  it.each([
    ['problem', 'The quota of concurrent executions is 10: requests', { ConcurrentExecutions: 10 }],
    ['warning', 'is 2000, but accountConcurrency in infra/stages.ts is 1000', { ConcurrentExecutions: 2000 }],
    [
      'warning',
      `${reserved - 1} executions are reserved, but infra/stages.ts reserves ${reserved}`,
      { UnreservedConcurrentExecutions: 1001 - reserved },
    ],
  ])('a %s says: %s', (level, text, changed) => {
    expect(found(changed)).toContainEqual(expect.objectContaining({ level, text: expect.stringContaining(text) }));
  });

  it('of code is a warning from 80 % on', () => {
    expect(found({}, 81)).toMatchObject([{ level: 'warning', text: expect.stringContaining('81 % of the quota') }]);
  });
});
