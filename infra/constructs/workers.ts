import { NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { queueOf } from '../../shared/contract/worker.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { pascalCase } from './pascal-case.ts';
import { QueueWorker } from './queue-worker.ts';
import type { Resources } from './resources.ts';
import { StreamWorker } from './stream-worker.ts';

const everyWorker: readonly Worker[] = workers;

/** Every worker, with what starts it and its alarms. */
export class Workers extends NestedStack {
  constructor(scope: Construct, resources: Resources) {
    super(scope, 'Workers', { description: `Affiliate program API, stage ${resources.settings.stage}: workers` });
    for (const worker of everyWorker) {
      const id = pascalCase(worker.id);
      const { trigger } = worker;
      const queue = queueOf(worker);
      if (trigger.kind === 'stream') new StreamWorker(this, id, worker, trigger, resources);
      else if (queue) new QueueWorker(this, id, worker, queue, resources);
      else throw new Error(`Nothing starts the worker '${worker.id}'`);
    }
    resources.gradualDeployment?.watch(this, resources.alarmTopic);
  }
}
