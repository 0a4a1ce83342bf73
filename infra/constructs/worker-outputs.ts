import type { Worker } from '../../shared/contract/workers.ts';
import { pascalCase } from './pascal-case.ts';

/** The stack's outputs about a worker: `DeliverWebhookQueueUrl` where it reads a queue, `DeliverWebhookDeadLettersUrl`. */
export const workerOutputs = ({ id }: Worker): { queueUrl: string; deadLettersUrl: string } => ({
  queueUrl: `${pascalCase(id)}QueueUrl`,
  deadLettersUrl: `${pascalCase(id)}DeadLettersUrl`,
});
