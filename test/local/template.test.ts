import { expect, it } from 'vitest';
import { localAddress } from '../../infra/local/deployment/local-addresses.ts';
import { nameFromLogicalId } from '../../infra/local/lambda/deploy-functions.ts';
import { conditionHolds, type Json, resolve, resourcesOf, type Scope } from '../../infra/local/template/template.ts';

/** As Fn::Sub writes a variable. */
const variable = (name: string): string => `\${${name}}`;

const scope: Scope = {
  template: {
    Parameters: { Stage: { Default: 'local' } },
    Mappings: { Sizes: { local: { memory: 128 } } },
    Conditions: {
      IsLocal: { 'Fn::Equals': [{ Ref: 'Stage' }, 'local'] },
      IsNotLocal: { 'Fn::Not': [{ Condition: 'IsLocal' }] },
      Both: { 'Fn::And': [{ Condition: 'IsLocal' }, { Condition: 'IsNotLocal' }] },
      Either: { 'Fn::Or': [{ Condition: 'IsLocal' }, { Condition: 'IsNotLocal' }] },
    },
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue' },
      Absent: { Type: 'AWS::SQS::Queue', Condition: 'IsNotLocal' },
    },
  },
  pseudoParameters: { 'AWS::Region': 'us-east-1' },
  resources: new Map([['Queue', { reference: 'http://q', attributes: { Arn: 'arn:q' } }]]),
};

it.each<[Json, Json]>([
  [{ Ref: 'Queue' }, 'http://q'],
  [{ Ref: 'Stage' }, 'local'],
  [{ 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:q'],
  [{ 'Fn::GetAtt': 'Queue.Arn' }, 'arn:q'],
  [{ 'Fn::Join': ['-', ['a', { Ref: 'AWS::Region' }, 1]] }, 'a-us-east-1-1'],
  [
    { 'Fn::Sub': `${variable('Queue.Arn')}/${variable('AWS::Region')}/${variable('!literal')}` },
    `arn:q/us-east-1/${variable('literal')}`,
  ],
  [{ 'Fn::Sub': [`${variable('Own')}-${variable('Queue')}`, { Own: { Ref: 'Stage' } }] }, 'local-http://q'],
  [{ 'Fn::Select': [1, { 'Fn::Split': ['/', 'a/b/c'] }] }, 'b'],
  [{ 'Fn::If': ['IsLocal', 'yes', 'no'] }, 'yes'],
  [{ 'Fn::FindInMap': ['Sizes', { Ref: 'Stage' }, 'memory'] }, 128],
  [
    { kept: [1, null, true], gone: { Ref: 'AWS::NoValue' }, list: [{ Ref: 'AWS::NoValue' }, 2] },
    { kept: [1, null, true], list: [2] },
  ],
])('resolves %j', (value, expected) => {
  expect(resolve(value, scope)).toEqual(expected);
});

it.each([[{ Ref: 'Nothing' }], [{ 'Fn::GetAtt': ['Queue', 'Nothing'] }], [{ 'Fn::ImportValue': 'Other' }]])(
  'says what it lacks for %j',
  (value) => {
    expect(() => resolve(value, scope)).toThrow(/local stack (has nothing for|does not know)/);
  },
);

it('leaves out the resources whose condition does not hold', () => {
  expect(resourcesOf(scope, 'AWS::SQS::Queue').map(({ logicalId }) => logicalId)).toEqual(['Queue']);
  expect([conditionHolds('Both', scope), conditionHolds('Either', scope)]).toEqual([false, true]);
});

it.each([
  ['ResizeImagesFunctionE095506F', 'resize-images'],
  ['FanOutEventsFunctionE095506F', 'fan-out-events'],
  ['PromotionalCodes5810DD1B', 'promotional-codes'],
  ['OpenapiJsonF75648F2', 'openapi-json'],
  ['Apiary', 'apiary'],
])('names the function %s by what its logical id was made from: %s', (logicalId, name) => {
  expect(nameFromLogicalId(logicalId)).toBe(name);
});

it.each([
  ['https://Api.execute-api.us-east-1.amazonaws.com/prod', 'http://localhost:3000/prod'],
  ['https://Domain.auth.us-east-1.amazoncognito.com', 'http://127.0.0.1:4000'],
  ['https://example.com', 'https://example.com'],
])('has %s at %s on this machine', (address, local) => {
  const addresses = { apiUrl: 'http://localhost:3000', signInIssuer: 'http://127.0.0.1:4000' };
  expect(localAddress(address, addresses)).toBe(local);
});
