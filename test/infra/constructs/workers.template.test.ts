import { readFileSync } from 'node:fs';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { pascalCase } from '../../../infra/constructs/pascal-case.ts';
import { isInLoop } from '../../../shared/contract/loops.ts';
import { queueOf } from '../../../shared/contract/worker.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { deployedFunction, lambdaOfWorker } from './deployed-function.ts';
import { readable, resource } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

const everyWorker: readonly Worker[] = workers;
let template: Template;

beforeAll(() => {
  template = templateOf(settings.local);
});

describe('workers', () => {
  it.each(everyWorker)('$id has dead letters with an alarm that says what users notice', (worker) => {
    const { id, trigger, errorImpact } = worker;
    const outputs = template.findOutputs('*');
    const deadLettersId: string = Object.entries(outputs).find(
      ([name]) => name.toLowerCase() === `${id.replaceAll('-', '')}deadlettersurl`,
    )?.[1].Value.Ref;
    expect(deadLettersId).toBeDefined();
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmDescription: Match.stringLikeRegexp(`^${errorImpact.replaceAll('.', '\\.')} .*docs/runbook\\.md`),
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [deadLettersId, 'QueueName'] } }],
      Statistic: 'Maximum',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 0,
    });
    if (trigger.kind === 'stream') {
      template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
        StartingPosition: 'TRIM_HORIZON',
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: trigger.maximumRetryAttempts,
        DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [deadLettersId, 'Arn'] } } },
      });
    } else {
      template.hasResourceProperties('AWS::SQS::Queue', {
        VisibilityTimeout: queueOf(worker)?.visibilityTimeoutSeconds,
        RedrivePolicy: {
          deadLetterTargetArn: { 'Fn::GetAtt': [deadLettersId, 'Arn'] },
          maxReceiveCount: queueOf(worker)?.maximumReceives,
        },
      });
    }
  });

  const late = everyWorker.filter((worker) => worker.late);

  it.each(late)('$id has an alarm when it is late, which says what users notice', ({ id, late, errorImpact }) => {
    const ofLambda = { Name: 'FunctionName', Value: { Ref: lambdaOfWorker(id, template) } };
    const ofStack = { Name: 'service', Value: 'affiliate-program-local' };
    const isOfStream = late?.measuredBy === 'IteratorAge';
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmDescription: Match.stringLikeRegexp(
        `^Later than 60 seconds.*${errorImpact.replaceAll('.', '\\.')} .*docs/runbook\\.md`,
      ),
      MetricName: late?.measuredBy,
      Dimensions: [isOfStream ? ofLambda : ofStack],
      Threshold: 60_000,
      TreatMissingData: 'notBreaching',
      ...(isOfStream
        ? { Statistic: 'Maximum', Period: 60, EvaluationPeriods: 3 }
        : { Namespace: 'AffiliateProgram', ExtendedStatistic: 'p50', Period: 300, EvaluationPeriods: 2 }),
    });
  });

  it.each(everyWorker)(
    '$id has an alarm when nothing reads its source, with its name and what users notice',
    (worker) => {
      const { id, errorImpact } = worker;
      const reads = queueOf(worker);
      const text = Match.stringLikeRegexp(
        `^${id} is stopped.*${errorImpact.replaceAll('.', '\\.')} .*docs/runbook\\.md`,
      );
      const queue = Object.keys(template.findResources('AWS::SQS::Queue')).find(
        (name) => reads && name.replace(/[0-9A-F]{8}$/, '') === `${pascalCase(reads.name)}Queue`,
      );
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        AlarmDescription: text,
        ...(reads && {
          MetricName: 'ApproximateAgeOfOldestMessage',
          Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } }],
        }),
      });
    },
  );

  it('every stream and the delivery of webhooks can be late', () => {
    expect(late.map(({ id }) => id)).toEqual(
      everyWorker.flatMap(({ id, trigger }) => (trigger.kind === 'stream' || id === 'deliver-webhook' ? id : [])),
    );
    const deliverer = deployedFunction(lambdaOfWorker('deliver-webhook', template) ?? '', template);
    expect(deliverer.variables).toMatchObject({
      POWERTOOLS_METRICS_NAMESPACE: 'AffiliateProgram',
      POWERTOOLS_SERVICE_NAME: 'affiliate-program-local',
    });
  });

  it('the runbook has a section for each alarm, and none without one', () => {
    const runbook = readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');
    const sections = Object.values(templateOf(settings.production).findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => /"([^"]+)"\.$/.exec(Properties.AlarmDescription)?.[1],
    );
    const general = ['How to read an alarm', 'How a redrive works'];
    const written = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(new Set([...general, ...sections])).toEqual(new Set(written));
    // Of the service, and of stopped workers and deployments one each for all.
    expect(new Set(sections).size).toBe(everyWorker.length + late.length + 7 + 2);
  });

  it('those that send messages back to their own queue may loop, tell where they give up, and no other worker may', () => {
    for (const worker of everyWorker) {
      const name = worker.id;
      const deployed = deployedFunction(lambdaOfWorker(name, template) ?? '', template);
      const { RecursiveLoop: recursiveLoop } = resource(template, 'AWS::Lambda::Function', deployed.logicalId);
      const sends = deployed.statements.flatMap(({ Action, Resource }) =>
        [Action].flat().includes('sqs:SendMessage') ? JSON.stringify(Resource) : [],
      );
      const givesUp = sends.some((resource) => resource.includes('DeadLetters'));
      if (isInLoop(worker))
        expect({ name, recursiveLoop, givesUp }).toEqual({ name, recursiveLoop: 'Allow', givesUp: true });
      else expect(recursiveLoop, name).toBeUndefined();
    }
    const inLoops = everyWorker.filter((worker) => isInLoop(worker));
    const scheduled = everyWorker.filter(({ trigger }) => trigger.kind === 'schedule');
    // A scheduled worker leaves the next page to its own queue.
    expect(inLoops).toEqual(expect.arrayContaining(scheduled));
    expect(inLoops.filter((worker) => !scheduled.includes(worker)).map(({ id }) => id)).toEqual([
      'deliver-webhook',
      'retry-deliveries',
      'connect-promotional-code',
      'finish-deletion',
      'create-automatic-codes',
      'prepare-payout-batch',
      'run-import',
      'export-program',
      'erase-person',
    ]);
  });

  it.each(everyWorker)(
    '$id may read what starts it, send to its dead letters if it gives up itself, and no more',
    (worker) => {
      const { statements } = deployedFunction(lambdaOfWorker(worker.id, template) ?? '', template);
      const ofSource = statements.flatMap(({ Action, Resource, ...others }) => {
        const actions = [Action].flat();
        const isOfTrigger = actions.some((action) => /DescribeStream|ReceiveMessage/.test(action));
        return isOfTrigger ? [{ actions, of: [Resource].flat().map(readable), others }] : [];
      });
      const { trigger } = worker;
      const others = { Effect: 'Allow' };
      const reads =
        trigger.kind === 'stream'
          ? {
              actions: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
                (use) => `dynamodb:${use}`,
              ),
              of: ['<Records.StreamArn>'],
              others,
            }
          : {
              actions: ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map(
                (use) => `sqs:${use}`,
              ),
              of: [`<${pascalCase(queueOf(worker)?.name ?? '')}Queue.Arn>`],
              others,
            };
      expect(ofSource).toEqual([reads]);

      const ownQueue =
        trigger.kind === 'stream' ? pascalCase(worker.id) : `${pascalCase(queueOf(worker)?.name ?? '')}Queue`;
      const givesUp = statements.filter(({ Resource }) => JSON.stringify(Resource).includes('DeadLetters'));
      const sends = { Effect: 'Allow', Action: 'sqs:SendMessage' };
      expect(givesUp.map(({ Resource, ...one }) => ({ ...one, of: readable(Resource) }))).toEqual(
        trigger.kind === 'stream' || isInLoop(worker) ? [{ ...sends, of: `<${ownQueue}DeadLetters.Arn>` }] : [],
      );
    },
  );

  it('are named with their queues in the outputs of the stack', () => {
    const outputs = Object.entries(template.findOutputs('*')).map(([name, { Value }]) => [name, readable(Value)]);
    const urls = outputs.filter(([name]) => name?.endsWith('QueueUrl') || name?.endsWith('DeadLettersUrl'));
    const expected = everyWorker.flatMap((worker) => {
      const name = pascalCase(worker.id);
      const reads = queueOf(worker);
      if (!reads) return [[`${name}DeadLettersUrl`, `<${name}DeadLetters>`]];
      const queue = `${pascalCase(reads.name)}Queue`;
      return [
        [`${name}QueueUrl`, `<${queue}>`],
        [`${name}DeadLettersUrl`, `<${queue}DeadLetters>`],
      ];
    });
    expect(urls).toEqual(expected);
  });

  it('one bad message or change never takes its batch with it', () => {
    template.allResourcesProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    template.resourceCountIs('AWS::Lambda::EventSourceMapping', everyWorker.length);
  });

  it('a message stays hidden for at least six times as long as its worker may run', () => {
    for (const worker of everyWorker) {
      const reads = queueOf(worker);
      if (reads) expect(reads.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * worker.timeoutSeconds);
    }
  });
});
