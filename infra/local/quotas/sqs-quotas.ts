import type { WireError } from '../proxy/wire.ts';

/** What SQS takes at most. The embedded one takes messages of 1 MB. */
export const sqsQuotas = { messageBytes: 256 * 1024, delaySeconds: 900, batchEntries: 10 } as const;

interface Attribute {
  readonly DataType?: string;
  readonly StringValue?: string;
  readonly BinaryValue?: string;
}

interface Message {
  readonly MessageBody?: string;
  readonly DelaySeconds?: number;
  readonly MessageAttributes?: { readonly [name: string]: Attribute };
}

export interface SqsRequest extends Message {
  readonly Entries?: readonly Message[];
}

/** Why SQS would refuse to send these messages; undefined where it would not. A batch is refused whole. */
export function sqsQuotaError(operation: string, body: SqsRequest): WireError | undefined {
  if (operation !== 'SendMessage' && operation !== 'SendMessageBatch') return undefined;
  const messages = body.Entries ?? [body];
  const { batchEntries, messageBytes, delaySeconds } = sqsQuotas;
  if (messages.length > batchEntries) {
    const message = `Maximum number of entries per request are ${batchEntries}. You have sent ${messages.length}.`;
    return { type: 'TooManyEntriesInBatchRequest', message };
  }
  const bytes = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  if (bytes > messageBytes) {
    const message = `Batch requests cannot be longer than ${messageBytes} bytes. You have sent ${bytes} bytes.`;
    if (body.Entries) return { type: 'BatchRequestTooLong', message };
    return invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${messageBytes} bytes.`);
  }
  const delay = messages.map(({ DelaySeconds }) => DelaySeconds ?? 0).find((one) => one < 0 || one > delaySeconds);
  if (delay === undefined) return undefined;
  const reason = `Reason: DelaySeconds must be >= 0 and <= ${delaySeconds}.`;
  return invalid(`Value ${delay} for parameter DelaySeconds is invalid. ${reason}`);
}

const invalid = (message: string): WireError => ({ type: 'InvalidParameterValue', message });

/** The bytes that count: of the body, and of names, types and values of the attributes. */
function sizeOf({ MessageBody: text = '', MessageAttributes: attributes = {} }: Message): number {
  const ofAttributes = Object.entries(attributes).reduce((sum, [name, { DataType, StringValue, BinaryValue }]) => {
    const parts = [name, DataType ?? '', StringValue ?? ''].map((part) => Buffer.byteLength(part));
    return sum + parts.reduce((one, other) => one + other, Buffer.byteLength(BinaryValue ?? '', 'base64'));
  }, 0);
  return Buffer.byteLength(text) + ofAttributes;
}
