import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { queues } from '../../shared/platform/queue/send.ts';
import { documents } from '../../shared/platform/table/client.ts';

/** What a request calls: how many calls one after the other, how many in all, and what they consume. */
export interface RecordedCalls {
  roundTrips: number;
  calls: number;
  readUnits: number;
  writeUnits: number;
}

/** Longer than the steps between two calls take. */
const quietMilliseconds = 4;
const name = 'recordedCalls';

const isRead = (command: string): boolean => /^(Get|BatchGet|Query|Scan)/.test(command);

const unitsOf = (output: object): number =>
  'ConsumedCapacity' in output
    ? [output.ConsumedCapacity ?? []].flat().reduce<number>((sum, one) => sum + (Object(one).CapacityUnits ?? 0), 0)
    : 0;

/** Holds back all responses until no further call begins, then gives them together: that is one round trip. */
const roundTripCounter = () => {
  let round = 0;
  let inFlight = 0;
  let held: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    clearTimeout(timer);
    if (held.length < inFlight) return;
    timer = setTimeout(() => {
      const released = held;
      [held, inFlight] = [[], 0];
      for (const release of released) release();
    }, quietMilliseconds);
  };
  return {
    count: () => round,
    begin: () => {
      if (inFlight === 0) round += 1;
      inFlight += 1;
      watch();
    },
    end: () =>
      new Promise<void>((resolve) => {
        held.push(resolve);
        watch();
      }),
  };
};

type Middleware = (
  next: (args: { input: object }) => Promise<{ output: object }>,
  context: { commandName?: string },
) => (args: { input: object }) => Promise<{ output: object }>;
/** Both clients' stacks take it, whatever the types of their commands are. */
interface Stack {
  add: (middleware: Middleware, options: { step: 'initialize' | 'build'; name: string; priority?: 'high' }) => void;
  remove: (name: string) => boolean;
}

const tableStack = documents.middlewareStack as unknown as Stack;
const queueStack = queues.middlewareStack as unknown as Stack;

/** From now on every message is taken for sent: there is no queue. Returns the texts of the messages, as they come. */
export const acceptMessages = (): string[] => {
  const accepted: string[] = [];
  const accept: Middleware =
    () =>
    async ({ input }) => {
      const { MessageBody, Entries = [] } = input as { MessageBody?: string; Entries?: { MessageBody: string }[] };
      accepted.push(...(MessageBody === undefined ? Entries.map((entry) => entry.MessageBody) : [MessageBody]));
      const MD5OfMessageBody = createHash('md5')
        .update(MessageBody ?? '')
        .digest('hex');
      return { output: { MessageId: '1', MD5OfMessageBody } };
    };
  queueStack.remove('acceptMessages');
  queueStack.add(accept, { step: 'build', name: 'acceptMessages' });
  return accepted;
};

/** Does something in this process, and returns what it called. */
export const recordCalls = async (act: () => Promise<unknown>): Promise<RecordedCalls> => {
  const counter = roundTripCounter();
  const recorded = { calls: 0, readUnits: 0, writeUnits: 0 };
  const held = async <Response>(call: () => Promise<Response>): Promise<Response> => {
    counter.begin();
    recorded.calls += 1;
    try {
      return await call();
    } finally {
      await counter.end();
    }
  };
  tableStack.add((next) => (args) => next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } }), {
    step: 'initialize',
    name: `${name}Capacity`,
  });
  tableStack.add(
    (next, { commandName = '' }) =>
      (args) =>
        held(async () => {
          // A condition that does not hold is billed as well.
          const { output } = await next(args).catch((error: unknown) => {
            if (error instanceof Error && error.name === 'ConditionalCheckFailedException') recorded.writeUnits += 1;
            throw error;
          });
          recorded[isRead(commandName) ? 'readUnits' : 'writeUnits'] += unitsOf(output);
          return { output };
        }),
    { step: 'build', name },
  );
  queueStack.add((next) => (args) => held(() => next(args)), { step: 'build', name, priority: 'high' });
  try {
    await act();
  } finally {
    for (const stack of [tableStack, queueStack]) for (const one of [name, `${name}Capacity`]) stack.remove(one);
  }
  return { roundTrips: counter.count(), ...recorded };
};

/** Does something in this process while every call takes so much longer. */
export const delayCalls = async (milliseconds: number, act: () => Promise<void>): Promise<void> => {
  const delay: Middleware = (next) => async (args) => {
    const [response] = await Promise.all([next(args), sleep(milliseconds)]);
    return response;
  };
  for (const stack of [tableStack, queueStack]) stack.add(delay, { step: 'build', name: 'delay', priority: 'high' });
  try {
    await act();
  } finally {
    for (const stack of [tableStack, queueStack]) stack.remove('delay');
  }
};
