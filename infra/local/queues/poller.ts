import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import { accountId, region } from '../account.ts';
import { createFilter, filterCriteria } from '../lambda/event-filter.ts';
import type { LambdaFunction } from '../lambda/function.ts';
import { isRunawayLoop } from '../lambda/recursive-loops.ts';
import type { Poller } from '../streams/poller.ts';

/** With the ranges that Lambda accepts. */
export const queueMappingProperties = z.object({
  BatchSize: z.coerce.number().int().min(1).max(10_000).default(10),
  MaximumBatchingWindowInSeconds: z.coerce.number().int().min(0).max(300).default(0),
  FunctionResponseTypes: z.array(z.string()).default([]),
  ScalingConfig: z.object({ MaximumConcurrency: z.coerce.number().int().min(2).max(1000) }).optional(),
  FilterCriteria: filterCriteria,
});

export interface QueuePollerSettings {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly target: LambdaFunction;
  readonly mapping: z.output<typeof queueMappingProperties>;
  readonly warn: (line: string) => void;
}

const defaultConcurrency = 5;
const firstConcurrency = 20;
const longPollSeconds = 20;
const troubleMilliseconds = 500;
/** SQS takes and gives no more in one call. */
const messagesInCall = 10;

/**
 * Receives a queue's messages and hands them to a function, as many batches at once as the mapping allows. What was
 * processed is deleted; what failed comes back by the queue's own visibility timeout and redrive policy.
 */
export function startQueuePoller(settings: QueuePollerSettings): Poller {
  const abort = new AbortController();
  const running = poll(settings, abort.signal);
  return {
    stop: async () => {
      abort.abort();
      await running;
    },
  };
}

/** How many batches may be with a function at once. */
interface Concurrency {
  current: () => number;
  /** A batch ended after so long, or its invocation failed. */
  ended: (milliseconds: number, isFailed: boolean) => void;
}

/**
 * As on AWS, more batches while all goes well and fewer after failures. Here batches share one process: where they take half
 * of the function's time already, more of them would only time out together, and all come back.
 */
export function createConcurrency(most: number, timeoutSeconds: number): Concurrency {
  let current = Math.min(most, firstConcurrency);
  return {
    current: () => current,
    ended: (milliseconds, isFailed) => {
      const isSlow = isFailed || milliseconds > (timeoutSeconds * 1000) / 2;
      current = isSlow ? Math.max(1, Math.floor(current / 2)) : Math.min(most, current + 1);
    },
  };
}

async function poll(settings: QueuePollerSettings, signal: AbortSignal): Promise<void> {
  const { mapping, target } = settings;
  const most = mapping.ScalingConfig?.MaximumConcurrency ?? defaultConcurrency;
  const concurrency = createConcurrency(most, target.timeoutSeconds);
  const batches = new Set<Promise<void>>();
  while (!signal.aborted) {
    if (batches.size >= concurrency.current()) {
      await Promise.race(batches);
      continue;
    }
    try {
      const messages = await receive(settings, signal);
      if (messages.length === 0) continue;
      const start = performance.now();
      const batch: Promise<void> = processMessages(messages, settings)
        .then((isDone) => concurrency.ended(performance.now() - start, !isDone))
        .finally(() => batches.delete(batch));
      batches.add(batch);
    } catch (error) {
      if (signal.aborted) break;
      settings.warn(`The queue of ${settings.target.name} could not be read: ${error}`);
      await sleep(troubleMilliseconds, undefined, { signal }).catch(() => {});
    }
  }
}

/** One call of the queue, which gives at most ten messages. */
async function receiveSome(
  { client, queueUrl, mapping }: QueuePollerSettings,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<Message[]> {
  const { Messages: messages } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(messagesInCall, mapping.BatchSize),
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
    { abortSignal: signal },
  );
  return messages ?? [];
}

/** A batch: what there is, or what comes within the batching window after the first message, up to the batch's size. */
async function receive(settings: QueuePollerSettings, signal: AbortSignal): Promise<Message[]> {
  const { BatchSize: size, MaximumBatchingWindowInSeconds: windowSeconds } = settings.mapping;
  const messages = await receiveSome(settings, longPollSeconds, signal);
  const end = performance.now() + windowSeconds * 1000;
  for (;;) {
    const seconds = Math.ceil((end - performance.now()) / 1000);
    if (messages.length === 0 || messages.length >= size || seconds <= 0) return messages;
    messages.push(...(await receiveSome(settings, Math.min(seconds, longPollSeconds), signal)));
  }
}

async function deleteAll(records: readonly SQSRecord[], { client, queueUrl }: QueuePollerSettings): Promise<void> {
  const entries = records.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
  for (let start = 0; start < entries.length; start += messagesInCall) {
    const Entries = entries.slice(start, start + messagesInCall);
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

/** Runs one batch. Never throws: a failure is a message that stays in the queue. False if the function failed as a whole. */
async function processMessages(messages: readonly Message[], settings: QueuePollerSettings): Promise<boolean> {
  const passes = createFilter(settings.mapping.FilterCriteria);
  const records = messages.map((message) => toEventRecord(message, settings.queueArn));
  const [stopped, allowed] = stopLoops(records.filter(passes), settings);
  try {
    const traceHeaders = allowed.flatMap(({ attributes }) => attributes.AWSTraceHeader ?? []);
    const result = allowed.length > 0 ? await settings.target.invoke({ Records: allowed }, traceHeaders) : null;
    const failed = failedIds(allowed, result, settings.mapping.FunctionResponseTypes);
    const done = records.filter((record) => !failed.has(record.messageId) && !stopped.includes(record));
    if (done.length === 0) return true;
    await deleteAll(done, settings);
    return true;
  } catch (error) {
    settings.warn(`${settings.target.name} failed: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/**
 * The messages for which the function is not invoked because they come from a recursive loop, and the others. As on AWS,
 * those stay in the queue and are refused again until its redrive policy moves them to the dead letters.
 */
function stopLoops(
  records: readonly SQSRecord[],
  { target, warn }: QueuePollerSettings,
): [stopped: SQSRecord[], allowed: SQSRecord[]] {
  const isStopped = ({ attributes }: SQSRecord): boolean =>
    !target.mayLoop && isRunawayLoop(target.arn, attributes.AWSTraceHeader);
  const stopped = records.filter(isStopped);
  for (const { messageId } of stopped) {
    warn(`${target.name} is in a recursive loop: message ${messageId} is not handled (RecursiveLoop is not Allow)`);
  }
  return [stopped, records.filter((record) => !stopped.includes(record))];
}

const batchResponse = z.object({
  batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })).nullish(),
});

/** The ids of the messages that the function reports as failed; a response out of shape fails them all, as on Lambda. */
export function failedIds(
  records: readonly Pick<SQSRecord, 'messageId'>[],
  result: unknown,
  responseTypes: readonly string[],
): Set<string> {
  if (!responseTypes.includes('ReportBatchItemFailures') || result === null) return new Set();
  const ids = new Set(records.map(({ messageId }) => messageId));
  const response = batchResponse.safeParse(result);
  if (!response.success) return ids;
  const failed = response.data.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier) ?? [];
  return failed.every((id) => ids.has(id)) ? new Set(failed) : ids;
}

function toEventRecord(message: Message, queueArn: string): SQSRecord {
  const attributes: SQSRecord['messageAttributes'] = {};
  for (const [name, attribute] of Object.entries(message.MessageAttributes ?? {})) {
    const binary = attribute.BinaryValue && Buffer.from(attribute.BinaryValue).toString('base64');
    attributes[name] = {
      dataType: attribute.DataType ?? 'String',
      ...(attribute.StringValue !== undefined && { stringValue: attribute.StringValue }),
      ...(binary !== undefined && { binaryValue: binary }),
      stringListValues: [],
      binaryListValues: [],
    };
  }
  const system = message.Attributes ?? {};
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ...system,
      ApproximateReceiveCount: system.ApproximateReceiveCount ?? '1',
      SentTimestamp: system.SentTimestamp ?? '0',
      SenderId: system.SenderId ?? accountId,
      ApproximateFirstReceiveTimestamp: system.ApproximateFirstReceiveTimestamp ?? '0',
    },
    messageAttributes: attributes,
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}
