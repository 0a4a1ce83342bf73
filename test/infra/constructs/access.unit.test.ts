import { describe, expect, it } from 'vitest';
import { fileAccesses, queuesSentTo, secretsUsed, tableAccesses } from '../../../infra/constructs/access.ts';
import { fileKinds } from '../../../shared/contract/files.ts';
import { type Need, queueNames, secretNames } from '../../../shared/contract/needs.ts';

/** The keys of the items of a kind in any program, and of no other kind. */
const ofKind = (kind: string): string[] => {
  const program = `PROGRAM#${'?'.repeat(36)}`;
  return [`${program}#${kind}`, `${program}#${kind}#*`];
};

const dynamodb = (...actions: string[]): string[] => actions.map((action) => `dynamodb:${action}`);

describe('a need of a table', () => {
  it.each<{ need: Need; table: string; index?: string; actions: string[]; leadingKeys: string[] }>([
    { need: 'SALE:read', table: 'records', actions: dynamodb('BatchGetItem', 'GetItem'), leadingKeys: ofKind('SALE') },
    { need: 'SALE:list', table: 'records', actions: dynamodb('Query'), leadingKeys: ofKind('SALE') },
    { need: 'SALE:create', table: 'records', actions: dynamodb('PutItem'), leadingKeys: ofKind('SALE') },
    { need: 'LINK:change', table: 'records', actions: dynamodb('UpdateItem'), leadingKeys: ofKind('LINK') },
    { need: 'LINK:delete', table: 'records', actions: dynamodb('DeleteItem'), leadingKeys: ofKind('LINK') },
    {
      need: 'PROGRAM:check',
      table: 'records',
      actions: dynamodb('ConditionCheckItem'),
      leadingKeys: ofKind('PROGRAM'),
    },
    { need: 'EVENT:create', table: 'traffic', actions: dynamodb('PutItem'), leadingKeys: ofKind('EVENT') },
    {
      need: 'SALE:list:GSI2',
      table: 'records',
      index: 'GSI2',
      actions: dynamodb('Query'),
      leadingKeys: ofKind('SALE'),
    },
    {
      need: 'DELIVERY:list:GSI1',
      table: 'traffic',
      index: 'GSI1',
      actions: dynamodb('Query'),
      leadingKeys: ofKind('DELIVERY'),
    },
    { need: 'accounts:create', table: 'records', actions: dynamodb('PutItem'), leadingKeys: ['ACCOUNT#*'] },
    { need: 'forms:change', table: 'traffic', actions: dynamodb('UpdateItem'), leadingKeys: ['FORMS#*'] },
    { need: 'health:check', table: 'records', actions: dynamodb('GetItem'), leadingKeys: ['HEALTH'] },
    { need: 'access:change', table: 'traffic', actions: dynamodb('UpdateItem'), leadingKeys: ['TOKEN#*'] },
  ])('$need allows $actions on $leadingKeys', ({ need, ...access }) => {
    expect(tableAccesses([need])).toEqual([access]);
  });

  it('to check a token lets it be read by its key, and counted on, but says nothing else of it', () => {
    const key = ['pk', 'sk'];
    expect(tableAccesses(['access:check'])).toEqual([
      {
        table: 'traffic',
        actions: dynamodb('UpdateItem'),
        leadingKeys: ['TOKEN#*'],
        attributes: ['counts', ...key],
      },
      { table: 'traffic', actions: dynamodb('GetItem'), leadingKeys: ['TOKEN#*'], attributes: key },
      { table: 'traffic', actions: dynamodb('UpdateItem'), leadingKeys: ['SHARED_LIMIT#*', 'UNKNOWN#*'] },
      { table: 'traffic', actions: dynamodb('GetItem'), leadingKeys: ['UNKNOWN#*'] },
    ]);
    expect(tableAccesses(['access:read'])).toEqual([
      {
        table: 'traffic',
        actions: dynamodb('BatchGetItem'),
        leadingKeys: ['TOKEN#*'],
        attributes: ['counts', ...key],
      },
    ]);
  });

  it('to manage tokens lets them be created, changed and deleted, and what deleted ones have used be kept', () => {
    const traffic = { table: 'traffic' } as const;
    expect(tableAccesses(['access:manage'])).toEqual([
      { ...traffic, actions: dynamodb('DeleteItem', 'PutItem', 'UpdateItem'), leadingKeys: ['TOKEN#*'] },
      {
        ...traffic,
        actions: dynamodb('DeleteItem', 'PutItem', 'Query', 'UpdateItem'),
        leadingKeys: ['DELETED_LIMIT#*'],
      },
      { ...traffic, actions: dynamodb('UpdateItem'), leadingKeys: ['SHARED_LIMIT#*'] },
    ]);
  });

  it('is all that a list of needs comes to, in its order', () => {
    expect(tableAccesses(['SALE:create', 'web:serve', 'deliveries:send', 'EVENT:create'])).toEqual([
      ...tableAccesses(['SALE:create']),
      ...tableAccesses(['EVENT:create']),
    ]);
  });
});

describe('a need of a queue or a secret', () => {
  it.each(queueNames)('%s:send is of that queue alone', (queue) => {
    expect(queuesSentTo([`${queue}:send`, 'SALE:read'])).toEqual([queue]);
  });

  it.each(secretNames)('%s:use is of that secret alone', (secret) => {
    expect(secretsUsed([`${secret}:use`, 'SALE:read'])).toEqual([secret]);
  });
});

describe('a need of files', () => {
  const id = '?'.repeat(36);

  it.each(Object.entries(fileKinds))(
    '%s:read is of the files of that kind alone, in any program',
    (kind, { root, folder, extension }) => {
      expect(fileAccesses([`${kind}:read` as Need, 'SALE:read'])).toEqual([
        { actions: ['s3:GetObject'], keys: `${root}/${id}/${folder}/${id}.${extension}` },
      ]);
    },
  );

  it('has no wildcard that would match a longer key', () => {
    const needs = Object.keys(fileKinds).map((kind) => `${kind}:write` as Need);
    expect(
      fileAccesses(needs)
        .map(({ keys }) => keys)
        .join(),
    ).not.toContain('*');
  });
});
