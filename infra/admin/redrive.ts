import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { queues } from '../../shared/platform/queue/send.ts';
import { changeSetAside, SetAsideLetter } from '../../shared/platform/queue/set-aside.ts';
import { workerOutputs } from '../constructs/worker-outputs.ts';
import { required } from '../stack-variables.ts';
import { readChange, readRange, StreamRange } from './stream-range.ts';

/** What became of one dead letter. Only one that was redriven is deleted; the others stay where they are. */
type Fate = 'redriven' | 'expired' | 'failed';

/** How many dead letters of a worker went which way. */
export type Redriven = Record<Fate, number>;

const everyWorker: readonly Worker[] = workers;

/** While a dead letter is worked on, and until all have been looked at, nobody else receives it. */
const heldSeconds = 900;
/** 10,000 dead letters of a worker in one run; whoever has more runs it again. */
const maxRounds = 1000;

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
        fates.push(records ? 'redriven' : 'expired');
      } catch (error) {
        logFailure(worker.id, letter, error);
        fates.push('failed');
      }
    }
    return fates;
  };

/** Lets others receive dead letters again. One that was held for too long is there already. */
const letGo = async (deadLettersUrl: string, letters: readonly Message[]): Promise<void> => {
  for (let start = 0; start < letters.length; start += 10)
    await queues.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: deadLettersUrl,
        Entries: letters.slice(start, start + 10).map(({ ReceiptHandle }, at) => ({
          Id: String(at),
          ReceiptHandle,
          // The embedded SQS loses a message that is to be there at once, until its next start.
          VisibilityTimeout: 1,
        })),
      }),
    );
};

/**
 * Works off a queue of dead letters. Each is deleted after its work was started and never before: where this ends in
 * between, it is there again, and started twice.
 */
const workOff = async (
  deadLettersUrl: string,
  redrive: (letters: readonly Message[]) => Promise<Fate[]>,
): Promise<Redriven> => {
  const counts: Redriven = { redriven: 0, expired: 0, failed: 0 };
  const kept = new Map<string | undefined, Message>();
  for (let round = 0; round < maxRounds; round++) {
    const { Messages: received = [] } = await queues.send(
      new ReceiveMessageCommand({
        QueueUrl: deadLettersUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: heldSeconds,
        // Without waiting, SQS asks only some of its servers and may find nothing.
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['MessageGroupId'],
      }),
    );
    const letters = received.filter(({ MessageId }) => !kept.has(MessageId));
    if (letters.length === 0) break;
    const fates = await redrive(letters);
    const started: Message[] = [];
    for (const [at, letter] of letters.entries()) {
      const fate = fates[at] ?? 'failed';
      counts[fate] += 1;
      if (fate === 'redriven') started.push(letter);
      else kept.set(letter.MessageId, letter);
    }
    if (started.length === 0) continue;
    await queues.send(
      new DeleteMessageBatchCommand({
        QueueUrl: deadLettersUrl,
        Entries: started.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle })),
      }),
    );
  }
  await letGo(deadLettersUrl, [...kept.values()]);
  return counts;
};

/**
 * Puts what every worker gave up on back to work: messages go back to their queue, and changes are worked on at once.
 * May be run again at any time.
 * @param outputs of the stack that `useStack` has chosen
 * @returns by worker how many dead letters were `redriven`; of a stream worker also how many `expired`, because the stream,
 *   which keeps a change for 24 hours, alone had them; how many `failed` again. The last two stay.
 */
export const redriveDeadLetters = async (outputs: Record<string, string>): Promise<Record<string, Redriven>> =>
  Object.fromEntries(
    await Promise.all(
      everyWorker.map(async (worker) => {
        const { trigger } = worker;
        const names = workerOutputs(worker);
        const redrive =
          trigger.kind === 'queue'
            ? sendBack(worker, required(outputs, names.queueUrl))
            : doAgain(worker, trigger.batchSize);
        return [worker.id, await workOff(required(outputs, names.deadLettersUrl), redrive)] as const;
      }),
    ),
  );
