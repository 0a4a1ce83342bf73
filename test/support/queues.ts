import { beforeEach, vi } from 'vitest';
import { deadLettersVariable } from '../../shared/contract/loops.ts';
import type { QueueName } from '../../shared/contract/needs.ts';
import { queueUrlVariable } from '../../shared/contract/needs.ts';
import { queues } from '../../shared/platform/queue/send.ts';

export interface SentMessage {
  /** The name of a queue, or `dead-letters`. */
  queue: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects, and fails where they are not
  body: any;
  groupId: string | undefined;
  delaySeconds: number | undefined;
}

interface Entry {
  MessageBody?: string;
  MessageGroupId?: string;
  DelaySeconds?: number;
}

interface Call extends Entry {
  QueueUrl?: string;
  Entries?: Entry[];
}

const names: readonly QueueName[] = [
  'deliveries',
  'redeliveries',
  'code-connections',
  'deletions',
  'automatic-codes',
  'payout-batches',
  'erasures',
  'mails',
  'portal-requests',
];

/**
 * Queues for each test of a file that has no stack: `sent` has what they accepted, and `refuse` chooses messages that they
 * refuse: such a message of a call with several fails alone, and a call with one message fails.
 */
export const testQueues = () => {
  const sent: SentMessage[] = [];
  let isRefused: (message: SentMessage) => boolean = () => false;
  const messageOf = (url: string, { MessageBody = '{}', MessageGroupId, DelaySeconds }: Entry): SentMessage => ({
    queue: url,
    body: JSON.parse(MessageBody),
    groupId: MessageGroupId,
    delaySeconds: DelaySeconds,
  });
  beforeEach(() => {
    sent.length = 0;
    isRefused = () => false;
    for (const name of names) vi.stubEnv(queueUrlVariable(name), name);
    vi.stubEnv(deadLettersVariable, 'dead-letters');
    vi.spyOn(queues, 'send').mockImplementation(async ({ input }: { input: object }): Promise<object> => {
      const { QueueUrl = '', Entries, ...single }: Call = input;
      const messages = (Entries ?? [single]).map((entry) => messageOf(QueueUrl, entry));
      const refused = new Set(messages.filter(isRefused));
      sent.push(...messages.filter((message) => !refused.has(message)));
      if (!Entries && refused.size > 0) throw new Error('The queue refused a message');
      return { Failed: messages.flatMap((message, at) => (refused.has(message) ? [{ Id: String(at) }] : [])) };
    });
    return () => vi.unstubAllEnvs();
  });
  return {
    sent,
    sentTo: (queue: string) => sent.filter((message) => message.queue === queue),
    refuse: (chosen: (message: SentMessage) => boolean) => {
      isRefused = chosen;
    },
  };
};
