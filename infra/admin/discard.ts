import { closeSync, constants, fchmodSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Message } from '@aws-sdk/client-sqs';
import { workers } from '../../shared/contract/workers.ts';
import { workerOutputs } from '../constructs/worker-outputs.ts';
import { required } from '../stack-variables.ts';
import { deleteDeadLetters, receiveDeadLetters, releaseDeadLetters } from './dead-letters.ts';

export interface DiscardOptions {
  worker: string;
  messageId: string;
  reason: string;
  /** Where the record of it is appended. */
  record: string;
}

/** Appends a line to a file that only the operator reads, and waits until it is on the disk. Never follows a link. */
const appendRecord = (file: string, record: object): void => {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const open = openSync(file, flags, 0o600);
  try {
    fchmodSync(open, 0o600);
    writeFileSync(open, `${JSON.stringify(record)}\n`);
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
};

/** The letter with that id, held; the others are there again. */
const take = async (queueUrl: string, messageId: string): Promise<Message | undefined> => {
  const others: Message[] = [];
  let found: Message | undefined;
  for await (const letters of receiveDeadLetters(queueUrl)) {
    found = letters.find(({ MessageId }) => MessageId === messageId);
    others.push(...letters.filter((letter) => letter !== found));
    if (found) break;
  }
  await releaseDeadLetters(queueUrl, others);
  return found;
};

/**
 * Deletes one dead letter for good, after all that it says was written to a file.
 * @param outputs of the stack that `useStack` has chosen
 */
export const discardDeadLetter = async (
  outputs: Record<string, string>,
  { worker: workerId, messageId, reason, record: file }: DiscardOptions,
) => {
  const worker = workers.find(({ id }) => id === workerId);
  if (!worker) throw new Error(`There is no worker ${workerId}. Workers: ${workers.map(({ id }) => id).join(', ')}`);
  const queueUrl = required(outputs, workerOutputs(worker).deadLettersUrl);
  const letter = await take(queueUrl, messageId);
  if (!letter)
    throw new Error(
      `${workerId} has no dead letter ${messageId}, or a redrive holds it. Try again in 15 minutes at the latest.`,
    );
  const discarded = {
    discardedAt: new Date().toISOString(),
    discardedBy: userInfo().username,
    reason,
    worker: workerId,
    messageId,
    sentAt: new Date(Number(letter.Attributes?.SentTimestamp)).toISOString(),
  };
  try {
    appendRecord(file, { ...discarded, body: letter.Body });
  } catch (error) {
    await releaseDeadLetters(queueUrl, [letter]);
    throw error;
  }
  await deleteDeadLetters(queueUrl, [letter]);
  return { ...discarded, record: file };
};
