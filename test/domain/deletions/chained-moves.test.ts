import { ListQueuesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { createMoveWrite, groupsOf } from '../../../shared/domain/groups/repository.ts';
import { queues } from '../../../shared/platform/queue/send.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { makeProgram } from '../../support/program.ts';

/** The second look of the worker, which comes a while after a deletion. */
const sendSecondLook = async (programId: string, groupId: string): Promise<void> => {
  const { QueueUrls: urls = [] } = await queues.send(new ListQueuesCommand({}));
  const QueueUrl = urls.find((url) => url.includes('DeletionsQueue') && !url.includes('DeadLetters'));
  const MessageBody = JSON.stringify({ programId, kind: 'GROUP', id: groupId, isSweep: true });
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: programId }));
};

it('affiliates who were to move to a group that is deleted too go on to where its affiliates went', async () => {
  const { programId } = await makeProgram();
  const [first, second, third] = [newRecordId(new Date()), newRecordId(new Date()), newRecordId(new Date())];
  await writeTogether([createMoveWrite(programId, first, second), createMoveWrite(programId, second, third)]);
  await sendSecondLook(programId, second);
  const moves = async () => (await groupsOf(programId)).moves;
  await expect.poll(moves, { timeout: 30_000 }).toEqual(new Map([[first, third]]));
});
