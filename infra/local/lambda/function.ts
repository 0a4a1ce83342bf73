import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { accountId, region } from '../account.ts';
import { traceHeaderOf } from './recursive-loops.ts';
import { routeField } from './traced-route.ts';
import type { KeptRuntime, WarmRuntimes } from './warm-runtimes.ts';

export interface FunctionSettings {
  readonly name: string;
  readonly codeFolder: string;
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly youngMegabytes: number;
  readonly environment: Record<string, string>;
  /** Whether messages may lead from it back to it without end. */
  readonly mayLoop: boolean;
  /** Takes everything the function prints. */
  readonly log: Writable;
  /** Takes one line for each problem a person should see. */
  readonly warn: (line: string) => void;
  /** Decides which functions stay loaded. */
  readonly warmRuntimes: WarmRuntimes;
}

/** The invocation failed: the function threw, ended, or took too long. */
export class InvocationError extends Error {
  readonly timedOut: boolean;
  constructor(message: string, timedOut = false) {
    super(message);
    this.timedOut = timedOut;
  }
}

/** The event is larger than Lambda takes in one invocation. */
export class RequestTooLargeError extends InvocationError {}

export interface LambdaFunction {
  readonly name: string;
  readonly arn: string;
  /** Whether messages may lead from it back to it without end. */
  readonly mayLoop: boolean;
  /**
   * Runs the function once and answers its result as Lambda would (what JSON keeps of it).
   * @param traceHeaders of the messages in the event
   * @param onWaiting called where it waits for other invocations; what it returns is called when this one begins
   */
  invoke(event: unknown, traceHeaders?: readonly string[], onWaiting?: () => () => void): Promise<unknown>;
  stop(): Promise<void>;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: InvocationError) => void;
  readonly timer: NodeJS.Timeout;
}

interface Runtime extends KeptRuntime {
  readonly worker: Worker;
  readonly waiting: Map<string, Waiting>;
  /** A retired runtime finishes what it has and gets nothing new. */
  retired: boolean;
}

const answerSchema = z.object({
  id: z.string(),
  result: z.string().optional(),
  error: z.object({ name: z.string(), message: z.string(), stack: z.string().optional() }).optional(),
});

/** What Lambda takes and gives in a synchronous invocation: 6 MB, and as measured 100 bytes more for a response. */
const maxRequestBytes = 6 * 1024 * 1024;
const maxResponseBytes = maxRequestBytes + 100;

/** Invocations beyond so many wait: they share one thread, and each has its own time from when it begins. */
const mostAtOnce = 128;

export const functionArn = (name: string): string => `arn:aws:lambda:${region}:${accountId}:function:${name}`;

/**
 * A Lambda function in a worker thread that is started by the first invocation and shared by all of them. A thread that
 * ends or hangs fails its invocations and is replaced at the next one.
 */
export function createFunction(settings: FunctionSettings): LambdaFunction {
  const runtimes = new Set<Runtime>();
  let current: Runtime | undefined;
  let running = 0;
  const inLine: (() => void)[] = [];

  const retire = (runtime: Runtime) => {
    runtime.retired = true;
    if (current === runtime) current = undefined;
    if (runtime.waiting.size === 0) void runtime.worker.terminate();
  };
  const settle = (runtime: Runtime, id: string): Waiting | undefined => {
    const waiting = runtime.waiting.get(id);
    if (waiting) {
      clearTimeout(waiting.timer);
      running -= 1;
      inLine.shift()?.();
    }
    runtime.waiting.delete(id);
    if (runtime.retired && runtime.waiting.size === 0) void runtime.worker.terminate();
    return waiting;
  };
  const fail = (runtime: Runtime, message: string) => {
    for (const id of runtime.waiting.keys()) settle(runtime, id)?.reject(new InvocationError(message));
  };

  const start = (): Runtime => {
    const runtime: Runtime = {
      worker: startWorker(settings),
      waiting: new Map(),
      retired: false,
      isBusy: () => runtime.waiting.size > 0,
      end: () => retire(runtime),
    };
    runtimes.add(runtime);
    runtime.worker.on('message', (message) => {
      const { id, result, error } = answerSchema.parse(message);
      if (error) {
        settings.log.write(`${error.stack ?? error.message}\n`);
        settle(runtime, id)?.reject(new InvocationError(`${error.name}: ${error.message}`));
      } else if (Buffer.byteLength(result ?? '') > maxResponseBytes) {
        const problem = `Exceeded maximum allowed payload size (${maxResponseBytes} bytes).`;
        settings.warn(`${settings.name}: ${problem}`);
        settle(runtime, id)?.reject(new InvocationError(problem));
      } else settle(runtime, id)?.resolve(JSON.parse(result ?? 'null'));
    });
    runtime.worker.on('error', (error) => {
      settings.log.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
      settings.warn(`${settings.name} crashed: ${firstLine(String(error))}`);
      retire(runtime);
      fail(runtime, `The function crashed: ${firstLine(String(error))}`);
    });
    runtime.worker.on('exit', () => {
      retire(runtime);
      fail(runtime, 'The function ended.');
      runtimes.delete(runtime);
      settings.warmRuntimes.forget(runtime);
    });
    return runtime;
  };

  const arn = functionArn(settings.name);
  return {
    name: settings.name,
    arn,
    mayLoop: settings.mayLoop,
    invoke: (event, traceHeaders = [], onWaiting = () => () => {}) =>
      new Promise((resolve, reject) => {
        const eventText = JSON.stringify(event) ?? 'null';
        if (Buffer.byteLength(eventText) > maxRequestBytes) {
          const problem = `Request must be smaller than ${maxRequestBytes} bytes for the InvokeFunction operation`;
          reject(new RequestTooLargeError(problem));
          return;
        }
        const begin = () => {
          running += 1;
          current ??= start();
          const runtime = current;
          const id = randomUUID();
          const timeoutMilliseconds = settings.timeoutSeconds * 1000;
          const timer = setTimeout(() => {
            settle(runtime, id);
            const message = `${settings.name} timed out after ${settings.timeoutSeconds} seconds`;
            settings.log.write(`${message}\n`);
            settings.warn(message);
            retire(runtime);
            reject(new InvocationError(message, true));
          }, timeoutMilliseconds);
          runtime.waiting.set(id, { resolve, reject, timer });
          settings.warmRuntimes.use(runtime);
          const traceHeader = `${traceHeaderOf(arn, traceHeaders)}${routeField(event)}`;
          runtime.worker.postMessage({ id, eventText, deadline: Date.now() + timeoutMilliseconds, traceHeader });
        };
        if (running < mostAtOnce) begin();
        else {
          const onBegin = onWaiting();
          inLine.push(() => {
            onBegin();
            begin();
          });
        }
      }),
    stop: async () => {
      await Promise.all([...runtimes].map(({ worker }) => worker.terminate()));
    },
  };
}

function startWorker(settings: FunctionSettings): Worker {
  const worker = new Worker(new URL('./lambda-worker.mjs', import.meta.url), {
    env: { ...selfDescription(settings), ...settings.environment },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    name: settings.name,
    resourceLimits: {
      maxOldGenerationSizeMb: settings.memoryMegabytes,
      maxYoungGenerationSizeMb: settings.youngMegabytes,
    },
    stdout: true,
    stderr: true,
    workerData: {
      codeFolder: settings.codeFolder,
      handler: settings.handler,
      functionName: settings.name,
      functionArn: functionArn(settings.name),
      memoryMegabytes: settings.memoryMegabytes,
      compileCacheFolder: process.env.NODE_COMPILE_CACHE,
    },
  });
  worker.stdout.pipe(settings.log, { end: false });
  worker.stderr.pipe(settings.log, { end: false });
  worker.stderr.setEncoding('utf8').on('data', (text: string) => settings.warn(`${settings.name}: ${firstLine(text)}`));
  return worker;
}

/** What Lambda itself tells a function of itself. */
const selfDescription = (settings: FunctionSettings): Record<string, string> => ({
  AWS_LAMBDA_FUNCTION_NAME: settings.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(settings.memoryMegabytes),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  LAMBDA_TASK_ROOT: settings.codeFolder,
  _HANDLER: settings.handler,
  TZ: ':UTC',
});

const firstLine = (text: string): string => (text.trim().split('\n', 1)[0] ?? '').slice(0, 300);
