import { finishDeletion } from '../../shared/domain/deletions/finish-deletion.ts';
import { webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { expireFeed } from '../../shared/webhooks/feed/log.ts';

// The work that follows the deletion of an affiliate or a group, done by the test itself.

/** What a deletion is given by its function. No record of these tests has a file. */
export const purgeTools = { webhooks, expireFeed, deleteFile: async () => undefined };

export type DeletionMessage = Parameters<typeof finishDeletion>[0];

export const firstMessage = (
  programId: string,
  id: string,
  kind: DeletionMessage['kind'] = 'AFFILIATE',
): DeletionMessage => ({
  programId,
  kind,
  id,
  step: 0,
  isSweep: false,
});

/** Works on a message and on all that follow it at once; returns them in their order. */
export const workOnDeletion = async (message: DeletionMessage, now = () => new Date()) => {
  const sent: { message: DeletionMessage; delaySeconds: number | undefined }[] = [];
  const send = async (next: DeletionMessage, delaySeconds?: number) => void sent.push({ message: next, delaySeconds });
  await finishDeletion(message, { send, now, ...purgeTools });
  for (let at = 0; at < sent.length; at++) {
    const next = sent[at];
    if (next && next.delaySeconds === undefined) await finishDeletion(next.message, { send, now, ...purgeTools });
  }
  return sent;
};
