import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, vi } from 'vitest';
import { PayoutMessage, workOnPayoutBatch } from '../../../shared/domain/payouts/steps/work-on-batch.ts';
import { documents } from '../../../shared/platform/table/client.ts';

// The queue of payout batches, and a worker that dies, for tests of what both leave behind.

type Task = PayoutMessage['task'];

/** Delivers a task's messages until none is left, as the queue does: what fails comes again. */
export const deliver = async (
  programId: string,
  batchId: string,
  task: Task,
  { copies = 1, onFailure = (error: unknown): void => expect.unreachable(String(error)) } = {},
) => {
  const queue: object[] = [{ programId, batchId, task }];
  const delays: number[] = [];
  for (let message = queue.shift(); message; message = queue.shift()) {
    const body = JSON.stringify(message);
    for (let copy = 0; copy < copies; copy++) {
      try {
        const rest = await workOnPayoutBatch(PayoutMessage.parse(JSON.parse(body)), new Date());
        if (rest?.delaySeconds) delays.push(rest.delaySeconds);
        // Every copy has a rest of its own; one of each kind is enough to follow.
        if (rest && copy === 0) queue.push(rest.message);
      } catch (error) {
        onFailure(error);
        queue.unshift(message);
      }
    }
  }
  return delays;
};

class Killed extends Error {}

const isWrite = (command: unknown): boolean =>
  command instanceof TransactWriteCommand || command instanceof UpdateCommand;

const maxKills = 40;

/** Kills the worker at every write: first before it is made, then, when it tries again, after it, unknown to it. */
const killAtEveryWrite = () => {
  const send = documents.send.bind(documents);
  let tries = 0;
  const spy = vi.spyOn(documents, 'send').mockImplementation(async (command: Parameters<typeof send>[0]) => {
    if (!isWrite(command)) return send(command);
    tries += 1;
    // The last write of a payment is the same each time, so that only an end of the killing ends it.
    if (tries > maxKills) return send(command);
    if (tries % 2 === 0) await send(command);
    throw new Killed(`Killed at try ${tries}`);
  });
  return { writesMade: () => Math.floor(tries / 2), end: () => spy.mockRestore() };
};

/** Runs a task whose worker dies at every one of its writes. Returns how many those were. */
export const deliverToTheDying = async (programId: string, batchId: string, task: Task) => {
  const killing = killAtEveryWrite();
  await deliver(programId, batchId, task, { onFailure: (error) => expect(error).toBeInstanceOf(Killed) });
  killing.end();
  return killing.writesMade();
};
