import { GetQueueAttributesCommand, QueueDoesNotExist } from '@aws-sdk/client-sqs';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { queues } from '../../../shared/platform/queue/send.ts';
import { workerOutputs } from '../../constructs/worker-outputs.ts';
import { required } from '../../stack-variables.ts';
import { type Check, type CheckedStack, type Finding, findingsOf } from './finding.ts';

const { problem, warning } = findingsOf('queues');
const everyWorker: readonly Worker[] = workers;

const attributesOf = async (QueueUrl: string) => {
  try {
    const { Attributes } = await queues.send(
      new GetQueueAttributesCommand({
        QueueUrl,
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible', 'RedrivePolicy'],
      }),
    );
    return Attributes ?? {};
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return undefined;
    throw error;
  }
};

const findingsOfWorker = async (worker: Worker, { outputs }: CheckedStack): Promise<Finding[]> => {
  const names = workerOutputs(worker);
  const missing = (what: string) => problem(`The ${what} of ${worker.id} does not exist.`, 'Deploy the stack again.');
  const deadLetters = await attributesOf(required(outputs, names.deadLettersUrl));
  const found = deadLetters ? [] : [missing('dead-letter queue')];
  const count = Number(deadLetters?.ApproximateNumberOfMessages ?? 0);
  if (count > 0)
    found.push(
      problem(
        `${worker.id} has ${count} dead letters. ${worker.errorImpact}`,
        `docs/runbook.md, section "Dead letters of ${worker.id}"`,
      ),
    );
  const held = Number(deadLetters?.ApproximateNumberOfMessagesNotVisible ?? 0);
  if (held > 0)
    found.push(
      warning(
        `${held} dead letters of ${worker.id} are held by a redrive, or by one that was ended: they are back in 15 minutes at the latest.`,
        'Run the doctor again then.',
      ),
    );
  if (worker.trigger.kind === 'stream') return found;
  const queue = await attributesOf(required(outputs, names.queueUrl));
  if (!queue) found.push(missing('queue'));
  else if (!queue.RedrivePolicy)
    found.push(
      problem(
        `The queue of ${worker.id} has no dead-letter queue: failed messages are lost.`,
        'Deploy the stack again.',
      ),
    );
  return found;
};

/** Checks that every worker has its queues and no dead letters. */
export const checkQueues: Check = async (stack) =>
  (await Promise.all(everyWorker.map((worker) => findingsOfWorker(worker, stack)))).flat();
