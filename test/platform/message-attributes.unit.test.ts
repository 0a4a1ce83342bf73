import { describe, expect, it } from 'vitest';
import { causeFrom, causeText } from '../../shared/contract/actor.ts';
import { causeOf, messageAttributes } from '../../shared/platform/queue/message-attributes.ts';
import { withActor } from '../../shared/platform/table/actor.ts';

const causeSent = (send: () => ReturnType<typeof messageAttributes>): string | undefined => {
  const { MessageAttributes = {} } = send();
  return MessageAttributes.cause?.StringValue;
};
const sending = () => messageAttributes('deletions');

describe('a message', () => {
  it('names the request that it follows from, and through workers the first one', () => {
    const first = causeSent(() => withActor('K:key-1', sending, 'request-1'));
    expect(first).toBe('request-1 K:key-1');
    expect(causeSent(() => withActor('S:finish-deletion', sending, first))).toBe(first);
    expect(causeFrom(first)).toEqual({ requestId: 'request-1', actor: { type: 'API_KEY', id: 'key-1' } });
    const received = { messageAttributes: { cause: { stringValue: first, dataType: 'String' } } };
    expect(causeOf(received as never)).toBe(first);
  });

  it('names none where no request caused it', () => {
    expect(sending()).toEqual({});
    expect(withActor('S:repair-tokens', sending)).toEqual({});
    expect(causeOf({ messageAttributes: {} })).toBeUndefined();
    expect(causeFrom(undefined)).toBeNull();
  });

  it('names who made a request of which the id is not known', () => {
    expect(causeFrom(causeText({ by: 'M:ada@example.com' }))).toEqual({
      requestId: null,
      actor: { type: 'MEMBER', id: 'ada@example.com' },
    });
  });
});
