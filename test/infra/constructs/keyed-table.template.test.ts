import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDomainTables } from '../../support/domain-tables.ts';
import { resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

let local: Template;
let production: Template;
let withNewTables: Template;

beforeAll(() => {
  local = templateOf(settings.local);
  production = templateOf(settings.production);
  withNewTables = templateOf({ ...settings.production, recordsGeneration: 2, trafficGeneration: 3 });
});

describe('a table', () => {
  const tables = (template: Template) =>
    resources(template, 'AWS::DynamoDB::Table').map(([, properties]) => properties);

  it.each([
    { stage: 'local', isProtected: false, template: () => local },
    { stage: 'prod', isProtected: true, template: () => production },
  ])('is on demand and expires by ttl; records have a stream and backups in $stage', ({ isProtected, template }) => {
    const [records, traffic, ...others] = tables(template());
    const both = {
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      DeletionProtectionEnabled: isProtected,
    };
    expect(records).toMatchObject({
      ...both,
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    // A stage that keeps its data can also recover it.
    expect(traffic).toMatchObject({
      ...both,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: isProtected },
    });
    expect(traffic?.StreamSpecification).toBeUndefined();
    expect(others).toEqual([]);
  });

  it('has indexes of keys alone: 7 of records, 4 of traffic', () => {
    const projections = tables(production).map(({ GlobalSecondaryIndexes }) =>
      (GlobalSecondaryIndexes as { Projection: object }[]).map(({ Projection }) => Projection),
    );
    const keysOnly = (count: number) => Array.from({ length: count }, () => ({ ProjectionType: 'KEYS_ONLY' }));
    expect(projections).toEqual([keysOnly(7), keysOnly(4)]);
  });

  it('has the keys and indexes with which the tests of the project `database` make it', () => {
    const made = createDomainTables({ records: 'records', traffic: 'traffic' }).map(({ input }) => {
      const { TableName: _name, ...properties } = input;
      return properties;
    });
    expect(tables(production)).toEqual(made.map((properties) => expect.objectContaining(properties)));
  });
});

it('a new generation of tables takes the place of the old ones everywhere', () => {
  const ids = Object.keys(withNewTables.findResources('AWS::DynamoDB::Table'));
  expect(ids.map((id) => id.slice(0, -8)).sort()).toEqual(['Records2', 'Traffic3']);
  for (const [old] of resources(production, 'AWS::DynamoDB::Table'))
    expect(JSON.stringify(withNewTables.toJSON())).not.toContain(old);
});
