import { expect, it } from 'vitest';
import { createDomainTables } from '../support/domain-tables.ts';
import { synthesizedProduction } from './deployed-function.ts';

it('the tables of the project `database` have the keys and indexes of those that are deployed', async () => {
  const { template } = await synthesizedProduction();
  const deployed = Object.values(template.findResources('AWS::DynamoDB::Table')).map(({ Properties }) => Properties);
  const made = createDomainTables({ records: 'records', traffic: 'traffic' }).map(({ input }) => {
    const { TableName: _name, ...properties } = input;
    return properties;
  });
  expect(deployed).toHaveLength(2);
  expect(deployed).toEqual(made.map((properties) => expect.objectContaining(properties)));
});
