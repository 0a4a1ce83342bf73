import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { accountId, region } from '../account.ts';
import type { KeptRuntime, WarmRuntimes } from './warm-runtimes.ts';

export interface RuntimeSettings {
  readonly name: string;
  readonly codeFolder: string;
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly youngMegabytes: number;
  /** Of what queues and streams invoke: on AWS it has a machine of its own, here it lets requests go first. */
  readonly isBackground: boolean;
  readonly environment: Record<string, string>;
  /** Takes everything the function prints. */
  readonly logFile: string;
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

export const functionArn = (name: string): string => `arn:aws:lambda:${region}:${accountId}:function:${name}`;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: InvocationError) => void;
  readonly timer: NodeJS.Timeout;
}

const workerMessage = z.object({
  id: z.string(),
  result: z.string().optional(),
  error: z.object({ name: z.string(), message: z.string(), stack: z.string().optional() }).optional(),
});

/** What Lambda returns from a synchronous invocation: 6 MB, and as measured 100 bytes more. */
const maxResponseBytes = 6 * 1024 * 1024 + 100;

/** A worker thread with a function's code. It runs many invocations at once, each with a timeout of its own. */
export class Runtime implements KeptRuntime {
  readonly #settings: RuntimeSettings;
  readonly #worker: Worker;
  readonly #waiting = new Map<string, Waiting>();
  #isRetired = false;

  /** @param onExit called when the thread has ended */
  constructor(settings: RuntimeSettings, onExit: () => void) {
    this.#settings = settings;
    this.#worker = startWorker(settings);
    this.#worker.on('message', (message) => this.#receive(message));
    this.#worker.on('error', (error) => {
      this.#log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      settings.warn(`${settings.name} crashed: ${firstLine(String(error))}`);
      this.#fail(`The function crashed: ${firstLine(String(error))}`);
    });
    this.#worker.on('exit', () => {
      this.#fail('The function ended.');
      settings.warmRuntimes.forget(this);
      onExit();
    });
  }

  /** A retired runtime finishes its invocations and must get no new ones. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  end(): void {
    this.#isRetired = true;
    if (this.#waiting.size === 0) void this.#worker.terminate();
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Runs the function once. Rejects with InvocationError when it throws, ends, or takes longer than its timeout. */
  invoke(eventText: string, traceHeader: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = randomUUID();
    const timeoutMilliseconds = this.#settings.timeoutSeconds * 1000;
    const timer = setTimeout(() => this.#timeOut(id), timeoutMilliseconds);
    this.#waiting.set(id, { resolve, reject, timer });
    this.#settings.warmRuntimes.use(this);
    this.#worker.postMessage({ id, eventText, deadline: Date.now() + timeoutMilliseconds, traceHeader });
    return promise;
  }

  #receive(message: unknown): void {
    const { id, result = 'null', error } = workerMessage.parse(message);
    if (error) {
      this.#log(error.stack ?? error.message);
      this.#settle(id)?.reject(new InvocationError(`${error.name}: ${error.message}`));
    } else if (Buffer.byteLength(result) > maxResponseBytes) {
      const problem = `Exceeded maximum allowed payload size (${maxResponseBytes} bytes).`;
      this.#settings.warn(`${this.#settings.name}: ${problem}`);
      this.#settle(id)?.reject(new InvocationError(problem));
    } else this.#settle(id)?.resolve(JSON.parse(result));
  }

  #timeOut(id: string): void {
    const message = `${this.#settings.name} timed out after ${this.#settings.timeoutSeconds} seconds`;
    this.#log(message);
    this.#settings.warn(message);
    this.#settle(id)?.reject(new InvocationError(message, true));
    this.end();
  }

  #log(line: string): void {
    appendFileSync(this.#settings.logFile, `${line}\n`);
  }

  #fail(message: string): void {
    this.#isRetired = true;
    for (const id of this.#waiting.keys()) this.#settle(id)?.reject(new InvocationError(message));
  }

  #settle(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(id);
    if (this.#isRetired && this.#waiting.size === 0) void this.#worker.terminate();
    return waiting;
  }
}

function startWorker(settings: RuntimeSettings): Worker {
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
      logFile: settings.logFile,
      isBackground: settings.isBackground,
      compileCacheFolder: process.env.NODE_COMPILE_CACHE,
    },
  });
  worker.stderr.setEncoding('utf8').on('data', (text: string) => {
    appendFileSync(settings.logFile, text);
    settings.warn(`${settings.name}: ${firstLine(text)}`);
  });
  return worker;
}

/** What Lambda itself tells a function of itself. */
const selfDescription = (settings: RuntimeSettings): Record<string, string> => ({
  AWS_LAMBDA_FUNCTION_NAME: settings.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(settings.memoryMegabytes),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  LAMBDA_TASK_ROOT: settings.codeFolder,
  _HANDLER: settings.handler,
  TZ: ':UTC',
});

const firstLine = (text: string): string => (text.trim().split('\n', 1)[0] ?? '').slice(0, 300);
