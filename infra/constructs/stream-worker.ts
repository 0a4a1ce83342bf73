import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, MetricType, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { deadLettersVariable } from '../../shared/contract/loops.ts';
import type { RecordKind } from '../../shared/contract/needs.ts';
import type { Worker } from '../../shared/contract/workers.ts';
import { concurrencyOfWorker } from '../concurrency.ts';
import { deadLettersOf, type Resources } from './resources.ts';
import { ServiceFunction } from './service-function.ts';
import { addLateWorkerAlarm, addStoppedStreamAlarm } from './worker-alarms.ts';

type StreamTrigger = Extract<Worker['trigger'], { kind: 'stream' }>;

/** They follow from changes, and would be as many again. */
const notWorkedOn = ['AUDIT'] as const satisfies readonly RecordKind[];

/**
 * Unique values, connections and sums are items too, about as many as records, and have no kind: nobody works on them.
 * What is filtered out costs no invocation, and no time of the changes behind it.
 */
const filtersOf = ({ kinds }: StreamTrigger) =>
  ['NewImage', 'OldImage'].map((image) =>
    FilterCriteria.filter({
      dynamodb: { [image]: { kind: { S: kinds ? FilterRule.or(...kinds) : FilterRule.notEquals(...notWorkedOn) } } },
    }),
  );

/** A Lambda that reads every change of a record, from the first on, and gives up on single changes only. */
export class StreamWorker extends Construct {
  constructor(scope: Construct, id: string, worker: Worker, trigger: StreamTrigger, resources: Resources) {
    super(scope, id);
    const { streamArn } = resources.records;
    const deadLetters = deadLettersOf(worker, resources);
    const target = new ServiceFunction(this, 'Function', {
      name: worker.id,
      needs: worker.needs,
      timeoutSeconds: worker.timeoutSeconds,
      resources,
      reservedConcurrency: concurrencyOfWorker(worker, resources.settings),
      triggerPermissions: [
        new PolicyStatement({
          actions: [
            'dynamodb:DescribeStream',
            'dynamodb:GetRecords',
            'dynamodb:GetShardIterator',
            'dynamodb:ListStreams',
          ],
          resources: [streamArn],
        }),
        new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }),
      ],
      triggerEnvironment: { [deadLettersVariable]: deadLetters.queueUrl },
    });
    const mapping = new EventSourceMapping(this, 'Source', {
      target: target.live,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: trigger.batchSize,
      parallelizationFactor: trigger.parallelizationFactor,
      filters: filtersOf(trigger),
      maxBatchingWindow: Duration.seconds(0),
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: trigger.maximumRetryAttempts,
      onFailure: new SqsDlq(deadLetters),
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
    });
    addLateWorkerAlarm(this, worker, target, resources);
    addStoppedStreamAlarm(this, worker, mapping, resources);
  }
}
