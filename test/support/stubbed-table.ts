import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { vi } from 'vitest';
import { documents } from '../../shared/platform/table/client.ts';

// No local emulator raises conflicts or throttling: with these the client is a stub.

/** What the calls of the tables respond, one after the other; afterwards each writes. */
export const stubbedSend = (...responses: (Error | object | 'written')[]) =>
  vi.spyOn(documents, 'send').mockImplementation(async () => {
    const response = responses.shift() ?? 'written';
    if (response instanceof Error) throw response;
    return response === 'written' ? {} : response;
  });

export const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'Transaction cancelled',
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

export const named = (name: string, more: object = {}) => Object.assign(new Error(name), { name, ...more });
