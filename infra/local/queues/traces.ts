/** The parts of fauxqs's queue and of its responses that traces are about. */
interface ReceivedMessage {
  MessageAttributes?: Record<string, { StringValue?: string | undefined }> | undefined;
  Attributes?: Record<string, string>;
}
export interface TracedQueueClass {
  readonly prototype: { dequeue(maximum: number, ...rest: unknown[]): ReceivedMessage[] };
}

interface Entry {
  MessageAttributes?: Record<string, unknown>;
  MessageSystemAttributes?: { AWSTraceHeader?: { StringValue?: string } };
}

const traceAttribute = 'local-stack-trace-header';

interface Sending {
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

/**
 * Teaches fauxqs what SQS does with traces: a message keeps the X-Amzn-Trace-Id of the call that sent it, and whoever
 * receives it sees it as the system attribute AWSTraceHeader. In between it is a message attribute, which fauxqs stores.
 * @returns `keepTrace`, which must see each request, and `showTraces`, which must see each response
 */
export function traceMessages({ prototype }: TracedQueueClass) {
  const traces = new WeakMap<ReceivedMessage, string>();
  const { dequeue } = prototype;
  prototype.dequeue = function dequeueWithTrace(maximum, ...rest) {
    const messages = dequeue.call(this, maximum, ...rest);
    for (const message of messages) {
      const { [traceAttribute]: trace, ...attributes } = message.MessageAttributes ?? {};
      if (trace?.StringValue === undefined) continue;
      traces.set(message, trace.StringValue);
      // Another object: the queue still holds the first one, for the next who receives the message.
      message.MessageAttributes = Object.keys(attributes).length > 0 ? attributes : undefined;
    }
    return messages;
  };
  const showTraces = (response: unknown): void => {
    const messages = isObject(response) && Array.isArray(response.Messages) ? response.Messages : [];
    for (const message of messages) {
      const trace = traces.get(message);
      // fauxqs gives system attributes to those who ask for any.
      if (trace !== undefined && message.Attributes) message.Attributes.AWSTraceHeader = trace;
    }
  };
  return { keepTrace, showTraces };
}

function keepTrace({ headers, body }: Sending): void {
  const isSending = /\.SendMessage(Batch)?$/.test(String(headers['x-amz-target']));
  if (!isSending || !isObject(body)) return;
  const ofCall = headers['x-amzn-trace-id'];
  const entries: Entry[] = Array.isArray(body.Entries) ? body.Entries : [body];
  for (const entry of entries) {
    const trace = entry.MessageSystemAttributes?.AWSTraceHeader?.StringValue ?? ofCall;
    if (typeof trace !== 'string') continue;
    entry.MessageAttributes = {
      ...entry.MessageAttributes,
      [traceAttribute]: { DataType: 'String', StringValue: trace },
    };
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
