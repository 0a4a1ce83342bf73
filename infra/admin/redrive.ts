import { type Message, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { queues } from '../../shared/platform/queue/send.ts';
import { changeSetAside, SetAsideLetter } from '../../shared/platform/queue/set-aside.ts';
import { workerOutputs } from '../constructs/worker-outputs.ts';
import { required } from '../stack-variables.ts';
import { deleteDeadLetters, receiveDeadLetters, releaseDeadLetters } from './dead-letters.ts';
import { readChange, readRange, StreamRange } from './stream-range.ts';

/** What became of one dead letter. Only one that was redriven is deleted; the others stay where they are. */
type Fate = 'redriven' | 'expired' | 'failed';

/** How many dead letters of a worker went which way. */
export type Redriven = Record<Fate, number>;

const everyWorker: readonly Worker[] = workers;

const logFailure = (workerId: string, { MessageId: messageId }: Message, error: unknown): void =>
  console.error(
    JSON.stringify({ level: 'ERROR', message: 'dead letter not redriven', workerId, messageId, error: String(error) }),
  );

/** Sends messages back to their queue, each in the group that keeps it fair. */
const sendBack =
  (worker: Worker, queueUrl: string) =>
  async (letters: readonly Message[]): Promise<Fate[]> => {
    const { Failed: failed = [] } = await queues.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: letters.map(({ Body, Attributes }, at) => ({
          Id: String(at),
          MessageBody: Body,
          ...(Attributes?.MessageGroupId && { MessageGroupId: Attributes.MessageGroupId }),
        })),
      }),
    );
    return letters.map((letter, at) => {
      const failure = failed.find(({ Id }) => Id === String(at));
      if (failure) logFailure(worker.id, letter, failure.Message);
      return failure ? 'failed' : 'redriven';
    });
  };

/** What Lambda gave up on, or one change that the worker itself set aside. */
const StreamLetter = z.union([z.object({ DDBStreamBatchInfo: StreamRange }), SetAsideLetter]);
const ResponseBody = z.object({ batchItemFailures: z.array(z.unknown()).nullish() }).nullish();
type StreamHandler = (event: { Records: readonly DynamoDBRecord[] }) => Promise<unknown>;

/**
 * Hands changes to the worker's own handler as the stream did, but in this process, with the operator's permissions and
 * the code of this folder. A handler may see every change twice.
 */
const handOver = async ({ id }: Worker, batchSize: number, records: readonly DynamoDBRecord[]): Promise<void> => {
  const { handler }: { handler: StreamHandler } = await import(`../../functions/${id}.ts`);
  for (let start = 0; start < records.length; start += batchSize) {
    const response = ResponseBody.parse(await handler({ Records: records.slice(start, start + batchSize) }));
    if (response?.batchItemFailures?.length) throw new Error(`${id} failed again`);
  }
};

/** The changes that a dead letter names: its own, or those of the stream; undefined where neither has them any more. */
const changesOf = async (letter: z.infer<typeof StreamLetter>): Promise<DynamoDBRecord[] | undefined> => {
  if ('DDBStreamBatchInfo' in letter) return readRange(letter.DDBStreamBatchInfo);
  const change = changeSetAside(letter) ?? (await readChange(letter.setAside));
  return change && [change];
};

/** Does again what the dead letters of a stream worker stand for. */
const doAgain =
  (worker: Worker, batchSize: number) =>
  async (letters: readonly Message[]): Promise<Fate[]> => {
    const fates: Fate[] = [];
    for (const letter of letters) {
      try {
        const records = await changesOf(StreamLetter.parse(JSON.parse(letter.Body ?? '')));
        if (records) await handOver(worker, batchSize, records);
        else logFailure(worker.id, letter, 'The stream no longer has its changes: discard it');
        fates.push(records ? 'redriven' : 'expired');
      } catch (error) {
        logFailure(worker.id, letter, error);
        fates.push('failed');
      }
    }
    return fates;
  };

export interface RedriveOptions {
  /** Ends it after the letters that are being worked on. */
  signal?: AbortSignal;
  /** Is told after each step what became of a worker's letters so far. */
  onProgress?: (workerId: string, counts: Redriven) => void;
}

interface Work {
  worker: Worker;
  deadLettersUrl: string;
  redrive: (letters: readonly Message[]) => Promise<Fate[]>;
}

/**
 * Works off a queue of dead letters. Each is deleted after its work was started and never before: where this ends in
 * between, it is there again, and started twice.
 */
const workOff = async (
  { worker, deadLettersUrl, redrive }: Work,
  { signal, onProgress }: RedriveOptions,
): Promise<Redriven> => {
  const counts: Redriven = { redriven: 0, expired: 0, failed: 0 };
  const kept: Message[] = [];
  if (signal?.aborted) return counts;
  for await (const letters of receiveDeadLetters(deadLettersUrl)) {
    const fates = await redrive(letters);
    const started: Message[] = [];
    for (const [at, letter] of letters.entries()) {
      const fate = fates[at] ?? 'failed';
      counts[fate] += 1;
      (fate === 'redriven' ? started : kept).push(letter);
    }
    await deleteDeadLetters(deadLettersUrl, started);
    onProgress?.(worker.id, { ...counts });
    if (signal?.aborted) break;
  }
  await releaseDeadLetters(deadLettersUrl, kept);
  return counts;
};

/**
 * Puts what every worker gave up on back to work: messages go back to their queue, and changes are worked on at once.
 * May be run again at any time.
 * @param outputs of the stack that `useStack` has chosen
 * @returns by worker how many dead letters were `redriven`; of a stream worker also how many `expired`, because the stream,
 *   which keeps a change for 24 hours, alone had them; how many `failed` again. The last two stay.
 */
export const redriveDeadLetters = async (
  outputs: Record<string, string>,
  options: RedriveOptions = {},
): Promise<Record<string, Redriven>> =>
  Object.fromEntries(
    await Promise.all(
      everyWorker.map(async (worker) => {
        const { trigger } = worker;
        const names = workerOutputs(worker);
        const redrive =
          trigger.kind === 'stream'
            ? doAgain(worker, trigger.batchSize)
            : sendBack(worker, required(outputs, names.queueUrl));
        const deadLettersUrl = required(outputs, names.deadLettersUrl);
        return [worker.id, await workOff({ worker, deadLettersUrl, redrive }, options)] as const;
      }),
    ),
  );

const textOf = ({ redriven, expired, failed }: Redriven): string =>
  `${redriven} redriven, ${expired} expired, ${failed} failed`;

/**
 * The same for a person at a terminal: progress on standard error, and after Ctrl-C the result so far.
 * A second Ctrl-C ends the process at once.
 */
export const redriveWatched = async (outputs: Record<string, string>) => {
  const controller = new AbortController();
  const stop = (): void => {
    console.error('Stopping after the letters that are being worked on. Press Ctrl-C again to stop at once.');
    controller.abort();
  };
  process.once('SIGINT', stop);
  try {
    const result = await redriveDeadLetters(outputs, {
      signal: controller.signal,
      onProgress: (workerId, counts) => console.error(`${workerId}: ${textOf(counts)}`),
    });
    if (!controller.signal.aborted) return result;
    process.exitCode = 130;
    return { ...result, interrupted: true };
  } finally {
    process.off('SIGINT', stop);
  }
};
