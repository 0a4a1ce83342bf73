/** The parts of fauxqs's queue that fairness is about. */
interface QueuedMessage {
  messageGroupId?: string | undefined;
  messageAttributes: Record<string, { StringValue?: string | undefined }>;
  md5OfMessageAttributes: string;
}
interface Queue {
  messages: QueuedMessage[];
  inflightMessages: Map<string, { message: QueuedMessage }>;
  isFifo(): boolean;
  enqueue(message: QueuedMessage): void;
  dequeue(maximum: number, ...rest: unknown[]): unknown[];
}
export interface QueueClass {
  readonly prototype: Queue;
}

const groupAttribute = 'local-stack-message-group';

/**
 * Teaches fauxqs the fair queues of SQS: on a standard queue a message group is a tenant, and while a tenant has many
 * messages in flight those of others go first. fauxqs drops the group id of such messages, so `keepGroupOfMessages`
 * must see each request's body: it carries the id past fauxqs in a message attribute that no receiver gets to see.
 */
export function makeQueuesFair({ prototype }: QueueClass): { keepGroupOfMessages: (body: unknown) => void } {
  const { enqueue, dequeue } = prototype;
  prototype.enqueue = function enqueueWithGroup(this: Queue, message) {
    const group = message.messageAttributes[groupAttribute]?.StringValue;
    if (group !== undefined) {
      message.messageGroupId = group;
      delete message.messageAttributes[groupAttribute];
      // Of the attributes with ours among them; receivers that compare would complain.
      message.md5OfMessageAttributes = '';
    }
    enqueue.call(this, message);
  };
  prototype.dequeue = function dequeueFairly(this: Queue, maximum, ...rest) {
    if (!this.isFifo() && this.messages.length > maximum) this.messages = fairOrder(this);
    return dequeue.call(this, maximum, ...rest);
  };
  return { keepGroupOfMessages };
}

/** The waiting messages, those first whose group has the fewest in flight and before them in the queue. */
function fairOrder({ messages, inflightMessages }: Queue): QueuedMessage[] {
  const load = new Map<string, number>();
  const addTo = (group: string): number => {
    const before = load.get(group) ?? 0;
    load.set(group, before + 1);
    return before;
  };
  for (const { message } of inflightMessages.values()) if (message.messageGroupId) addTo(message.messageGroupId);
  if (load.size === 0 && messages.every(({ messageGroupId }) => messageGroupId === undefined)) return messages;
  const ranked = messages.map((message) => ({
    message,
    // A message without a group competes with nobody.
    rank: message.messageGroupId === undefined ? 0 : addTo(message.messageGroupId),
  }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ message }) => message);
}

interface Entry {
  MessageGroupId?: string;
  MessageAttributes?: Record<string, unknown>;
}

function keepGroupOfMessages(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('QueueUrl' in body) || String(body.QueueUrl).endsWith('.fifo'))
    return;
  const entries: Entry[] = 'Entries' in body && Array.isArray(body.Entries) ? body.Entries : [body];
  for (const entry of entries) {
    if (entry.MessageGroupId === undefined) continue;
    const group = { DataType: 'String', StringValue: entry.MessageGroupId };
    entry.MessageAttributes = { ...entry.MessageAttributes, [groupAttribute]: group };
  }
}
