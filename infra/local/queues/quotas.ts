/** The parts of fauxqs's queue that quotas are about. */
interface Message {
  readonly messageId: string;
  readonly sentTimestamp: number;
}
interface LimitedQueue {
  messages: Message[];
  readonly inflightMessages: { readonly size: number };
  readonly attributes: Readonly<Record<string, string>>;
  readonly persistence?: { deleteMessage(messageId: string): void } | undefined;
  isFifo(): boolean;
  dequeue(maximum: number, ...rest: unknown[]): object[];
}
export interface LimitedQueueClass {
  readonly prototype: LimitedQueue;
}

/** So many messages of a standard queue may be received and not yet deleted. */
const maxInFlight = 120_000;
const maxDelaySeconds = 900;
const maxBatchBytes = 256 * 1024;
const retentionCheckMilliseconds = 10_000;

/** An error in the form of the SQS API. */
export interface QueueRefusal {
  readonly code: string;
  readonly message: string;
}

interface Call {
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

/**
 * Teaches fauxqs the quotas of SQS that it lacks: what is older than the queue's retention period is gone, and a standard
 * queue hands over nothing while 120,000 messages are in flight.
 * @param findQueue by its URL
 * @returns `refusalOf`, which must see each request: the error that SQS returns instead, or undefined
 */
export function limitQueues(
  { prototype }: LimitedQueueClass,
  findQueue: (url: string) => Pick<LimitedQueue, 'isFifo' | 'inflightMessages' | 'attributes'> | undefined,
): { refusalOf: (call: Call) => QueueRefusal | undefined } {
  const checkedAt = new WeakMap<LimitedQueue, number>();
  const { dequeue } = prototype;
  const dropExpired = (queue: LimitedQueue): void => {
    const now = Date.now();
    if (now - (checkedAt.get(queue) ?? 0) < retentionCheckMilliseconds) return;
    checkedAt.set(queue, now);
    const oldest = now - Number(queue.attributes.MessageRetentionPeriod) * 1000;
    const expired = queue.messages.filter(({ sentTimestamp }) => sentTimestamp < oldest);
    if (expired.length === 0) return;
    for (const { messageId } of expired) queue.persistence?.deleteMessage(messageId);
    queue.messages = queue.messages.filter(({ sentTimestamp }) => sentTimestamp >= oldest);
  };
  prototype.dequeue = function dequeueWithinQuota(this: LimitedQueue, maximum, ...rest) {
    if (this.isFifo()) return dequeue.call(this, maximum, ...rest);
    dropExpired(this);
    const room = Math.min(maximum, maxInFlight - this.inflightMessages.size);
    return room > 0 ? dequeue.call(this, room, ...rest) : [];
  };
  return {
    refusalOf: ({ headers, body }) => {
      const action = String(headers['x-amz-target']).split('.').at(-1) ?? '';
      if (!isObject(body)) return undefined;
      if (action === 'ReceiveMessage') {
        const queue = findQueue(String(body.QueueUrl));
        return queue && refusalOfReceive(queue, body.WaitTimeSeconds);
      }
      // Of a batch SQS refuses the single entry; no caller sends such a batch on purpose.
      const entries = Array.isArray(body.Entries) ? body.Entries : [body];
      if (!action.startsWith('SendMessage')) return undefined;
      return refusalOfBatch(entries) ?? entries.map(refusalOfDelay).find(Boolean);
    },
  };
}

/** Who does not wait for messages is told that the queue is at its quota; who waits gets none. */
function refusalOfReceive(
  queue: Pick<LimitedQueue, 'isFifo' | 'inflightMessages' | 'attributes'>,
  waitSeconds: unknown,
): QueueRefusal | undefined {
  const waits = Number(waitSeconds ?? queue.attributes.ReceiveMessageWaitTimeSeconds ?? 0) > 0;
  if (waits || queue.isFifo() || queue.inflightMessages.size < maxInFlight) return undefined;
  return { code: 'OverLimit', message: `Too many messages in flight: the quota is ${maxInFlight}` };
}

/** The messages of a batch together may be as large as one. A single one is refused by its queue. */
function refusalOfBatch(entries: readonly unknown[]): QueueRefusal | undefined {
  if (entries.length < 2) return undefined;
  const sizes = entries.map((entry) => Buffer.byteLength(isObject(entry) ? String(entry.MessageBody) : ''));
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) <= maxBatchBytes) return undefined;
  return {
    code: 'BatchRequestTooLong',
    message: `Batch requests cannot be longer than ${maxBatchBytes} bytes.`,
  };
}

function refusalOfDelay(entry: unknown): QueueRefusal | undefined {
  const seconds = isObject(entry) ? Number(entry.DelaySeconds ?? 0) : 0;
  if (seconds >= 0 && seconds <= maxDelaySeconds) return undefined;
  const reason = `DelaySeconds must be >= 0 and <= ${maxDelaySeconds}`;
  return {
    code: 'InvalidParameterValue',
    message: `Value ${seconds} for parameter DelaySeconds is invalid. Reason: ${reason}.`,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
