import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { pascalCase } from '../../../infra/constructs/pascal-case.ts';
import { secretNames } from '../../../shared/contract/needs.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { lambdaOfWorker } from './deployed-function.ts';
import { idOf, resource, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

// Every figure of the template, by what it means. Where two figures must agree, the rule is tested beside them.

const everyWorker: readonly Worker[] = workers;
const queueWorkers = everyWorker.flatMap((worker) => (worker.trigger.kind === 'queue' ? [worker.id] : []));
const streamWorkers = everyWorker.flatMap((worker) => (worker.trigger.kind === 'stream' ? [worker.id] : []));

let local: Template;
let production: Template;

beforeAll(() => {
  local = templateOf(settings.local);
  production = templateOf(settings.production);
});

/** A worker in a template: its Lambda, the mapping that starts it, and where its messages or changes go. */
const deployed = (template: Template, workerId: string) => {
  const functionId = lambdaOfWorker(workerId, template);
  const lambda = resource(template, 'AWS::Lambda::Function', functionId);
  const mapping = resources(template, 'AWS::Lambda::EventSourceMapping').find(([id]) =>
    id.startsWith(`${pascalCase(workerId)}Source`),
  )?.[1];
  if (!mapping) throw new Error(`Nothing starts ${workerId}`);
  return { lambda, mapping };
};

const deployedWithQueue = (template: Template, workerId: string) => {
  const { lambda, mapping } = deployed(template, workerId);
  const queue = resource(template, 'AWS::SQS::Queue', idOf(mapping.EventSourceArn));
  const { deadLetterTargetArn, maxReceiveCount } = queue.RedrivePolicy as {
    deadLetterTargetArn: unknown;
    maxReceiveCount: number;
  };
  return {
    lambda,
    mapping,
    queue,
    maxReceiveCount,
    deadLetters: resource(template, 'AWS::SQS::Queue', idOf(deadLetterTargetArn)),
  };
};

const minutes = 60;
const hours = 60 * minutes;
const days = 24 * hours;
/** Limits of SQS: the maximum retention of a message, and the maximum delay. */
const sqs = { longestRetention: 14 * days, longestDelay: 15 * minutes };

describe('a queue', () => {
  it.each([
    { id: 'deliver-webhook', timeout: 60, visibility: 360, batchSize: 10, receives: 25, concurrency: 80 },
    { id: 'retry-deliveries', timeout: 60, visibility: 360, batchSize: 1, receives: 5, concurrency: 5 },
    {
      id: 'connect-promotional-code',
      timeout: 60,
      visibility: 360,
      batchSize: 5,
      receives: 5,
      concurrency: 10,
    },
    { id: 'finish-deletion', timeout: 60, visibility: 360, batchSize: 1, receives: 5, concurrency: 10 },
    { id: 'create-automatic-codes', timeout: 30, visibility: 180, batchSize: 10, receives: 5, concurrency: 5 },
    { id: 'erase-person', timeout: 60, visibility: 360, batchSize: 1, receives: 5, concurrency: 5 },
    { id: 'send-mail', timeout: 30, visibility: 180, batchSize: 5, receives: 5, concurrency: 2 },
    { id: 'mail-feedback', timeout: 30, visibility: 180, batchSize: 10, receives: 5, concurrency: 2 },
    { id: 'mail-first-sale', timeout: 30, visibility: 180, batchSize: 10, receives: 5, concurrency: 2 },
    { id: 'handle-portal-request', timeout: 30, visibility: 180, batchSize: 5, receives: 5, concurrency: 5 },
    { id: 'count-clicks', timeout: 60, visibility: 360, batchSize: 1000, receives: 5, concurrency: 2 },
    { id: 'run-import', timeout: 30, visibility: 180, batchSize: 1, receives: 5, concurrency: 5 },
    { id: 'export-program', timeout: 900, visibility: 5400, batchSize: 1, receives: 3, concurrency: 5 },
    { id: 'prepare-payout-batch', timeout: 120, visibility: 720, batchSize: 1, receives: 5, concurrency: 5 },
  ])(
    'of $id has the figures that its worker declares',
    ({ id, timeout, visibility, batchSize, receives, concurrency }) => {
      for (const template of [local, production]) {
        const { lambda, mapping, queue, maxReceiveCount } = deployedWithQueue(template, id);
        expect({
          timeout: lambda.Timeout,
          visibility: queue.VisibilityTimeout,
          batchSize: mapping.BatchSize,
          receives: maxReceiveCount,
          concurrency: (mapping.ScalingConfig as { MaximumConcurrency?: number } | undefined)?.MaximumConcurrency,
        }).toEqual({ timeout, visibility, batchSize, receives, concurrency });
      }
    },
  );

  it('is in that table, each of them', () => {
    expect(queueWorkers.toSorted()).toEqual([
      'connect-promotional-code',
      'count-clicks',
      'create-automatic-codes',
      'deliver-webhook',
      'erase-person',
      'export-program',
      'finish-deletion',
      'handle-portal-request',
      'mail-feedback',
      'mail-first-sale',
      'prepare-payout-batch',
      'retry-deliveries',
      'run-import',
      'send-mail',
    ]);
  });

  it.each(queueWorkers)(
    'of %s hides a message six times as long as its worker may run, and no mapping of small batches waits for a full one',
    (id) => {
      const { lambda, mapping, queue } = deployedWithQueue(local, id);
      expect(Number(queue.VisibilityTimeout)).toBeGreaterThanOrEqual(6 * Number(lambda.Timeout));
      // Lambda asks for a wait where a batch may hold more than ten messages.
      expect(mapping.MaximumBatchingWindowInSeconds).toBe(Number(mapping.BatchSize) > 10 ? 2 : undefined);
      expect(queue.ReceiveMessageWaitTimeSeconds).toBeUndefined();
      expect(queue.DelaySeconds).toBeUndefined();
    },
  );

  it.each(queueWorkers)('of %s keeps a message as long as SQS can, for a worker that is stopped', (id) => {
    for (const template of [local, production])
      expect(deployedWithQueue(template, id).queue.MessageRetentionPeriod).toBe(sqs.longestRetention);
  });

  it.each(queueWorkers)('of %s has dead letters that are kept for ten days at least after they came', (id) => {
    const { queue, deadLetters, maxReceiveCount } = deployedWithQueue(local, id);
    expect(deadLetters.MessageRetentionPeriod).toBe(sqs.longestRetention);
    // The age of a dead letter counts from when it was first sent: here, as long as a worker that runs takes to give it up.
    const inQueue = sqs.longestDelay + maxReceiveCount * Number(queue.VisibilityTimeout);
    expect(sqs.longestRetention - inQueue).toBeGreaterThanOrEqual(10 * days);
    expect(deadLetters.RedrivePolicy).toBeUndefined();
  });

  it('is reached over TLS alone, dead letters too', () => {
    const policies = resources(local, 'AWS::SQS::QueuePolicy').map(([, properties]) => properties);
    const tlsOnly = {
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Action: 'sqs:*',
      Resource: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    };
    for (const { PolicyDocument } of policies)
      expect(PolicyDocument).toMatchObject({ Version: '2012-10-17', Statement: expect.arrayContaining([tlsOnly]) });
    // A queue has one policy alone: each is in one of them.
    const covered = policies.flatMap(({ Queues }) => (Queues as unknown[]).map(idOf));
    expect(covered.toSorted()).toEqual(
      resources(local, 'AWS::SQS::Queue')
        .map(([id]) => id)
        .toSorted(),
    );
  });

  it.each(queueWorkers)('of %s starts no more at once than are reserved for it', (id) => {
    const { mapping, lambda } = deployedWithQueue(production, id);
    const { MaximumConcurrency: concurrency } = mapping.ScalingConfig as { MaximumConcurrency: number };
    expect(Number(lambda.ReservedConcurrentExecutions)).toBeGreaterThanOrEqual(concurrency);
  });
});

describe('a stream', () => {
  const kinds = (...names: string[]) => [{ S: names }];
  it.each([
    { id: 'fan-out-events', parallelizationFactor: 4, kind: [{ S: [{ 'anything-but': ['AUDIT'] }] }] },
    { id: 'update-totals', parallelizationFactor: 1, kind: kinds('SALE', 'REFERRAL', 'ADJUSTMENT') },
  ])(
    'of $id is read from its beginning, in batches of 100 at once, and gives up single changes after 20 retries',
    (given) => {
      for (const template of [local, production]) {
        const { mapping, lambda } = deployed(template, given.id);
        expect(mapping).toMatchObject({
          StartingPosition: 'TRIM_HORIZON',
          BatchSize: 100,
          MaximumBatchingWindowInSeconds: 0,
          ParallelizationFactor: given.parallelizationFactor,
          MaximumRetryAttempts: 20,
          BisectBatchOnFunctionError: true,
          FunctionResponseTypes: ['ReportBatchItemFailures'],
        });
        // No change is dropped for its age: the stream itself keeps it a day.
        expect(mapping.MaximumRecordAgeInSeconds).toBeUndefined();
        expect(lambda.Timeout).toBe(60);
        const { Filters: filters } = mapping.FilterCriteria as { Filters: { Pattern: string }[] };
        expect(filters.map(({ Pattern }) => JSON.parse(Pattern).dynamodb)).toEqual([
          { NewImage: { kind: given.kind[0] } },
          { OldImage: { kind: given.kind[0] } },
        ]);
      }
    },
  );

  it.each(streamWorkers)('of %s keeps what it gave up for 14 days', (id) => {
    const { mapping } = deployed(local, id);
    const { OnFailure } = mapping.DestinationConfig as { OnFailure: { Destination: unknown } };
    expect(resource(local, 'AWS::SQS::Queue', idOf(OnFailure.Destination)).MessageRetentionPeriod).toBe(14 * days);
  });

  it('is in that table, each of them, and has no more readers than two', () => {
    expect(streamWorkers).toEqual(['fan-out-events', 'update-totals']);
  });
});

describe('an alarm', () => {
  it('notifies its topic when it begins, and nobody without one', () => {
    for (const [, { AlarmActions, OKActions, InsufficientDataActions }] of resources(
      production,
      'AWS::CloudWatch::Alarm',
    ))
      expect({ count: (AlarmActions as unknown[]).length, OKActions, InsufficientDataActions }).toEqual({ count: 1 });
    for (const [id, { AlarmActions }] of resources(local, 'AWS::CloudWatch::Alarm'))
      expect(AlarmActions, id).toBeUndefined();
  });
});

describe('what holds data', () => {
  const types = [
    'AWS::DynamoDB::Table',
    'AWS::SecretsManager::Secret',
    'AWS::Cognito::UserPool',
    'AWS::Logs::LogGroup',
  ];

  it.each(types)(
    '%s stays in prod when the stack is deleted or an update would replace it, and goes in local',
    (type) => {
      production.allResources(type, { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
      local.allResources(type, { DeletionPolicy: 'Delete' });
    },
  );

  it.each([
    { stage: 'local', retention: 7, template: () => local },
    { stage: 'prod', retention: 365, template: () => production },
  ])('if it is a log, of a function or of the API, is kept $retention days in $stage', ({ retention, template }) => {
    for (const [id, { RetentionInDays }] of resources(template(), 'AWS::Logs::LogGroup'))
      expect(RetentionInDays, id).toBe(retention);
  });
});

describe('secrets', () => {
  it('are all generated, 64 characters long', () => {
    const secrets = resources(production, 'AWS::SecretsManager::Secret');
    // And the one of cursors.
    expect(secrets).toHaveLength(secretNames.length + 1);
    for (const [id, { GenerateSecretString }] of secrets)
      expect(GenerateSecretString, id).toEqual({ PasswordLength: 64, ExcludePunctuation: true });
  });
});
