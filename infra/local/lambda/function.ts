import { setTimeout as sleep } from 'node:timers/promises';
import { traceHeaderOf } from './recursive-loops.ts';
import type { RequestsFirst } from './requests-first.ts';
import { functionArn, InvocationError, Runtime, type RuntimeSettings } from './runtime.ts';
import { routeField } from './traced-route.ts';

export interface FunctionSettings extends RuntimeSettings {
  /** Whether messages may lead from it back to it without end. */
  readonly mayLoop: boolean;
  /** Lets invocations of background functions wait for requests. */
  readonly requestsFirst: RequestsFirst | undefined;
  /** By how much events of queues, streams and schedules are delayed on purpose. */
  readonly eventDelayMilliseconds: number;
}

/** The event is larger than Lambda takes in one invocation. */
export class RequestTooLargeError extends InvocationError {}

export interface LambdaFunction {
  readonly name: string;
  readonly arn: string;
  /** Whether messages may lead from it back to it without end. */
  readonly mayLoop: boolean;
  readonly timeoutSeconds: number;
  readonly isBackground: boolean;
  /**
   * Runs the function once and returns its result as Lambda would (what JSON keeps of it).
   * @param traceHeaders of the messages in the event
   * @param onWaiting of a request: called where it waits for other invocations; what it returns is called when it begins
   */
  invoke(event: unknown, traceHeaders?: readonly string[], onWaiting?: () => () => void): Promise<unknown>;
  stop(): Promise<void>;
}

/** What Lambda takes in a synchronous invocation. */
const maxRequestBytes = 6 * 1024 * 1024;

/**
 * Invocations beyond so many wait, and each has its own time from when it begins. They share one thread, in which too many
 * at once keep each other from reaching the database in time. Requests are as many as production reserves for a function.
 */
const maxAtOnce = { requests: 30, events: 128 };

/** Lets `maxAtOnce` invocations run at the same time; the others wait in order. */
const createSlots = () => {
  let running = 0;
  const inLine: (() => void)[] = [];
  return {
    acquire: async (onWaiting: (() => () => void) | undefined): Promise<void> => {
      if (running < (onWaiting ? maxAtOnce.requests : maxAtOnce.events)) {
        running += 1;
        return;
      }
      const onBegin = onWaiting?.();
      await new Promise<void>((resolve) => inLine.push(resolve));
      onBegin?.();
    },
    /** Hands the slot to the invocation that has waited longest. */
    release: () => {
      const next = inLine.shift();
      if (next) next();
      else running -= 1;
    },
  };
};

/**
 * A Lambda function in a worker thread that is started by the first invocation and shared by all of them. A thread that
 * ends or hangs fails its invocations and is replaced at the next one.
 */
export function createFunction(settings: FunctionSettings): LambdaFunction {
  const { name, mayLoop, timeoutSeconds, isBackground, requestsFirst, eventDelayMilliseconds } = settings;
  const arn = functionArn(name);
  const runtimes = new Set<Runtime>();
  let current: Runtime | undefined;
  let isStopped = false;
  const slots = createSlots();

  const currentRuntime = (): Runtime => {
    if (current && !current.isRetired) return current;
    const runtime = new Runtime(settings, () => runtimes.delete(runtime));
    runtimes.add(runtime);
    current = runtime;
    return runtime;
  };

  return {
    name,
    arn,
    mayLoop,
    timeoutSeconds,
    isBackground,
    invoke: async (event, traceHeaders = [], onWaiting) => {
      const eventText = JSON.stringify(event) ?? 'null';
      if (Buffer.byteLength(eventText) > maxRequestBytes) {
        const problem = `Request must be smaller than ${maxRequestBytes} bytes for the InvokeFunction operation`;
        throw new RequestTooLargeError(problem);
      }
      if (!onWaiting && eventDelayMilliseconds > 0) {
        await sleep(eventDelayMilliseconds, undefined, { ref: false });
        if (isStopped) throw new InvocationError('The stack has stopped.');
      }
      if (isBackground) await requestsFirst?.untilQuiet();
      const end = onWaiting && requestsFirst?.begin();
      await slots.acquire(onWaiting);
      try {
        return await currentRuntime().invoke(eventText, `${traceHeaderOf(arn, traceHeaders)}${routeField(event)}`);
      } finally {
        slots.release();
        end?.();
      }
    },
    stop: async () => {
      isStopped = true;
      await Promise.all([...runtimes].map((runtime) => runtime.terminate()));
    },
  };
}
