import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { alarmFindings, mappingFindings } from '../../infra/admin/doctor/account.ts';
import { tableFindings } from '../../infra/admin/doctor/tables.ts';
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
