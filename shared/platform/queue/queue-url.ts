import { type QueueName, queueUrlVariable } from '../../contract/needs.ts';
import type { ScheduledWorkerId } from '../../contract/workers.ts';

export type AnyQueue = QueueName | ScheduledWorkerId;

export const queueUrl = (queue: AnyQueue): string => {
  const url = process.env[queueUrlVariable(queue)];
  if (!url) throw new Error(`The environment variable ${queueUrlVariable(queue)} is not set`);
  return url;
};
