import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleFolder } from '../../../infra/bundle.ts';
import { pascalCase } from '../../../infra/constructs/pascal-case.ts';
import { type AccessContext, evaluate } from '../../../infra/local/iam/evaluate.ts';
import { readPolicy } from '../../../infra/local/iam/policy.ts';
import { countedKinds, type Need, queueNames, secretNames, trafficKinds } from '../../../shared/contract/needs.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { type LambdaWithNeeds, lambdasWithNeeds, type Statement } from './deployed-function.ts';
import { settings, templateOf } from './template-of.ts';

const everyWorker: readonly Worker[] = workers;
const scheduledIds = everyWorker.filter(({ trigger }) => trigger.kind === 'schedule').map(({ id }) => id);
let functions: readonly LambdaWithNeeds[];

beforeAll(() => {
  functions = lambdasWithNeeds(templateOf(settings.production), settings.production.connectorPlatform);
});

const longestArn = (logicalId: string): string =>
  `arn:aws:secretsmanager:ap-southeast-2:123456789012:secret:affiliate-program-prod-${logicalId}-0123456789ABC`;

/** A value of the template as CloudFormation resolves it, with the longest names that AWS may give. */
const resolved = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const [[name, argument] = ['', undefined], ...others] = Object.entries(value);
  if (others.length === 0 && name === 'Ref' && argument.startsWith('AWS::')) return 'ap-southeast-2';
  if (others.length === 0 && (name === 'Ref' || name === 'Fn::GetAtt')) return longestArn([argument].flat()[0]);
  if (others.length === 0 && name === 'Fn::Join') return argument[1].map(resolved).join(argument[0]);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item)]));
};

const resourcesOf = ({ Resource }: Statement): string[] => [resolved(Resource)].flat().map(String);

/** `Records`, `Records/GSI1` or the name of any other resource. */
const shortName = (arn: string): string => {
  const [, table, index] = /-(Records|Traffic)[0-9A-F]{8}-0123456789ABC(?:\/index\/(\w+))?$/.exec(arn) ?? [];
  return table ? [table, index].filter(Boolean).join('/') : arn;
};

/** Each single permission of a statement about items, such as `dynamodb:Query Records/GSI1 PROGRAM#…#COUPON`. */
const granted = (statement: Statement): string[] => {
  const actions = [statement.Action].flat();
  if (!actions.some((action) => /^dynamodb:.*(Item|Query|Scan)$/.test(action))) return [];
  const keys = statement.Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? ['any key'];
  return actions.flatMap((action) =>
    resourcesOf(statement).flatMap((resource) => keys.map((key) => `${action} ${shortName(resource)} ${key}`)),
  );
};

const actionsOf: Record<string, readonly string[]> = {
  read: ['BatchGetItem', 'GetItem'],
  list: ['Query'],
  create: ['PutItem'],
  change: ['UpdateItem'],
  delete: ['DeleteItem'],
  check: ['ConditionCheckItem'],
};

/** The partition keys of items that belong to no program. */
const ownKeys: Record<string, string> = {
  accounts: 'ACCOUNT#*',
  forms: 'FORMS#*',
  handles: 'HANDLE#*',
  'mail-addresses': 'MAIL_ADDRESS#*',
  'mail-counts': 'MAIL_COUNT#*',
  'visitor-salts': 'VISITOR_SALT#*',
};

/** The same words for what a need allows. */
const wanted = (need: Need): string[] => {
  const [kind = '', use = '', index] = need.split(':');
  if (need === 'access:check')
    return [
      ...['TOKEN', 'UNKNOWN'].map((kind) => `dynamodb:GetItem Traffic ${kind}#*`),
      ...['TOKEN', 'UNKNOWN', 'SHARED_LIMIT'].map((kind) => `dynamodb:UpdateItem Traffic ${kind}#*`),
    ];
  if (need === 'access:manage')
    return [
      ...['DeleteItem', 'PutItem', 'UpdateItem'].map((action) => `dynamodb:${action} Traffic TOKEN#*`),
      ...['DeleteItem', 'PutItem', 'Query', 'UpdateItem'].map((action) => `dynamodb:${action} Traffic DELETED_LIMIT#*`),
      'dynamodb:UpdateItem Traffic SHARED_LIMIT#*',
    ];
  if (need === 'access:change') return ['dynamodb:UpdateItem Traffic TOKEN#*'];
  if (need === 'access:read') return ['dynamodb:BatchGetItem Traffic TOKEN#*'];
  if (need === 'records:count' || need === 'records:room')
    return [
      ...(need === 'records:room' ? ['dynamodb:GetItem Traffic RECORD_ROOM#*'] : []),
      'dynamodb:UpdateItem Traffic RECORD_ROOM#*',
      ...countedKinds.map((kind) => `dynamodb:Query Records PROGRAM#${'?'.repeat(36)}#${kind}`),
    ];
  if (need === 'records:recount') return ['dynamodb:PutItem Traffic RECORD_ROOM#*'];
  if (need === 'programs:list') return ['dynamodb:Query Records/GSI1 PROGRAMS'];
  if (need === 'health:check') return ['dynamodb:GetItem Records HEALTH'];
  const own = ownKeys[kind];
  if (!/^[A-Z_]+$/.test(kind) && !own) return [];
  const isTraffic = [...trafficKinds, 'forms', 'visitor-salts', 'mail-counts'].some((name) => name === kind);
  const table = isTraffic ? 'Traffic' : 'Records';
  const program = `PROGRAM#${'?'.repeat(36)}`;
  const keys = own ? [own] : [`${program}#${kind}`, `${program}#${kind}#*`];
  return (actionsOf[use] ?? []).flatMap((action) =>
    keys.map((key) => `dynamodb:${action} ${[table, index].filter(Boolean).join('/')} ${key}`),
  );
};

/** The short names of what some action is allowed on. */
const allowedOn = ({ deployed }: LambdaWithNeeds, action: string): string[] =>
  deployed.statements.filter(({ Action }) => [Action].flat().includes(action)).flatMap(resourcesOf);

describe('the permissions of a function', () => {
  it('name every action and resource, but for X-Ray, which has no resources', () => {
    for (const { name, deployed } of functions) {
      for (const statement of deployed.statements) {
        const actions = [statement.Action].flat();
        expect(statement.Effect).toBe('Allow');
        for (const action of actions) expect(action, name).not.toContain('*');
        if (actions.every((action) => action.startsWith('xray:'))) continue;
        expect(resourcesOf(statement).join(), name).not.toContain('*');
      }
    }
  });

  it('on items are exactly those of its needs: action by action, index by index, key by key', () => {
    for (const { name, needs, deployed } of functions) {
      expect([...new Set(deployed.statements.flatMap(granted))].sort(), name).toEqual(
        [...new Set(needs.flatMap(wanted))].sort(),
      );
    }
  });

  it('of fan-out-events delete nothing and change the feed alone: it reads what events nest, and creates events, deliveries and the audit log', () => {
    const statements = functions.find(({ name }) => name === 'fan-out-events')?.deployed.statements ?? [];
    const permissions = statements.flatMap(granted).map((permission) => permission.replace(/ PROGRAM#\?+/, ' '));
    const kindsOf = (action: string) => [
      ...new Set(
        permissions.flatMap((permission) => {
          const [given, table, key = ''] = permission.split(' ');
          return given === `dynamodb:${action}` ? `${table} ${key.split('#')[1]}` : [];
        }),
      ),
    ];
    const nested = ['AFFILIATE', 'COUPON', 'PROGRAM', 'PROMOTIONAL_CODE', 'TOMBSTONE'].map((kind) => `Records ${kind}`);
    expect(kindsOf('GetItem').sort()).toEqual(nested);
    expect(kindsOf('BatchGetItem').sort()).toEqual(nested);
    expect(kindsOf('Query').sort()).toEqual(['Records GROUP', 'Records LINK_CODE', 'Records WEBHOOK', 'Traffic FEED']);
    expect(kindsOf('PutItem').sort()).toEqual(['Records AUDIT', 'Traffic DELIVERY', 'Traffic EVENT', 'Traffic FEED']);
    expect(kindsOf('UpdateItem')).toEqual(['Traffic FEED']);
    const others = permissions.filter(
      (permission) => !/^dynamodb:(GetItem|BatchGetItem|Query|PutItem|UpdateItem) /.test(permission),
    );
    expect(others).toEqual([]);
  });

  it('never let it read a whole table', () => {
    for (const { name, deployed } of functions) {
      expect(
        deployed.statements.flatMap(granted).filter((permission) => permission.endsWith('any key')),
        name,
      ).toEqual([]);
      expect(JSON.stringify(deployed.statements), name).not.toContain('dynamodb:Scan');
    }
  });

  it('on queues and secrets are those of its needs', () => {
    for (const lambda of functions) {
      const { name, needs } = lambda;
      const ofNames = (resources: readonly string[], names: readonly string[], suffix: string) =>
        names.filter((one) => resources.some((arn) => arn.includes(`-${pascalCase(one)}${suffix}`)));
      const readable = allowedOn(lambda, 'secretsmanager:GetSecretValue');
      const secrets = secretNames.filter((secret) => needs.includes(`${secret}:use`));
      expect(ofNames(readable, secretNames, 'Secret'), name).toEqual(secrets);
      expect(readable, name).toHaveLength(secrets.length);
      // A stream worker also sends what it gives up on to its dead letters.
      const sendable = allowedOn(lambda, 'sqs:SendMessage').filter((arn) => !arn.includes('DeadLetters'));
      const queues = [
        ...queueNames.filter((queue) => needs.includes(`${queue}:send`)),
        // A scheduled worker leaves work to another message of its own queue.
        ...scheduledIds.filter((id) => id === name),
      ];
      expect(ofNames(sendable, [...queueNames, ...scheduledIds], 'Queue'), name).toEqual(queues);
      expect(sendable, name).toHaveLength(queues.length);
    }
  });

  it('let it count on an access token, and change nothing else of it', () => {
    const affiliates = functions.find(({ name }) => name === 'affiliates');
    const statements = (affiliates?.deployed.statements ?? []).map((statement) => resolved(statement));
    const resource = /"([^"]*-Traffic[^"/]*)"/.exec(JSON.stringify(statements))?.[1] ?? '';
    const outcome = (action: string, context: AccessContext) =>
      evaluate(readPolicy({ Statement: statements }), { action: `dynamodb:${action}`, resource, context }).outcome;
    const token = { 'dynamodb:LeadingKeys': [`TOKEN#${'0'.repeat(64)}`] };
    const update = (...names: string[]) => outcome('UpdateItem', { ...token, 'dynamodb:Attributes': ['pk', ...names] });
    expect(update('sk', 'counts')).toBe('ALLOWED');
    for (const name of ['programId', 'keyId', 'plan', 'programDeleted', 'sharesLimit', 'ttl'])
      expect(update('sk', 'counts', name), name).toBe('IMPLICIT_DENY');
    for (const action of ['PutItem', 'DeleteItem', 'ConditionCheckItem', 'Query'])
      expect(outcome(action, { ...token, 'dynamodb:Attributes': ['pk', 'sk'] }), action).toBe('IMPLICIT_DENY');
    expect(outcome('UpdateItem', { 'dynamodb:LeadingKeys': ['UNKNOWN#192.0.2.1'] })).toBe('ALLOWED');
  });

  it('touch access tokens only where it needs them', () => {
    for (const { name, needs, deployed } of functions) {
      const usesAccess = needs.some((need) => need.startsWith('access:'));
      expect(JSON.stringify(deployed.statements).includes('TOKEN#'), name).toBe(usesAccess);
    }
  });

  it('fit into the 10,240 characters of a role with a tenth to spare', () => {
    for (const { name, deployed } of functions) {
      const document = JSON.stringify({ Version: '2012-10-17', Statement: resolved(deployed.statements) });
      expect(document.length, name).toBeLessThan(9_216);
    }
  });
});

describe('the settings of a function', () => {
  const variableOf: Partial<Record<Need, string>> = {
    'web:serve': 'SIGN_IN_ORIGIN',
    'sign-in:use': 'SIGN_IN_ISSUER',
    'platforms:check': 'CONNECT_HOSTS',
    'metrics:publish': 'POWERTOOLS_METRICS_NAMESPACE',
    'webhooks:address': 'WEBHOOK_EXTRA_HOSTS',
    'webhooks:deliver': 'WEBHOOK_RETRY_SECONDS',
  };

  const codeOf = (name: string): string => readFileSync(join(bundleFolder, name, 'index.js'), 'utf8');

  it.each(Object.entries(variableOf))('it needs %s where its code reads %s, and nowhere else', (need, variable) => {
    // As a property or a string. The documentation, which is in the code of its function, mentions settings as text.
    const asName = new RegExp(`[.'"]${variable}\\b`);
    const reading = functions.filter(({ name }) => asName.test(codeOf(name))).map(({ name }) => name);
    const needing = functions.filter(({ needs }) => needs.some((one) => one === need)).map(({ name }) => name);
    expect(reading.sort()).toEqual(needing.sort());
    expect(reading).not.toEqual([]);
  });
});
