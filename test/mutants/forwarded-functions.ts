import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import { inject } from 'vitest';
import { root } from './scope.ts';

// A setup file: runs the functions of the local stack in the process of the test, where mutants are turned on.

interface Invocation {
  functionName: string;
  event: unknown;
  awsRequestId: string;
  milliseconds: number;
  environment: Record<string, string>;
}
type Handler = (event: unknown, context: Partial<Context>) => Promise<unknown>;

const invoke = async ({ functionName, event, awsRequestId, milliseconds, environment }: Invocation) => {
  // The process has credentials of its own, which may do what every function may.
  const settings = Object.entries(environment).filter(([name]) => !name.startsWith('AWS_'));
  Object.assign(process.env, Object.fromEntries(settings));
  const deadline = Date.now() + milliseconds;
  const { handler }: { handler: Handler } = await import(join(root, 'functions', `${functionName}.ts`));
  return handler(event, {
    functionName,
    awsRequestId,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  });
};

/** One server for as long as the process lives; test files that load everything anew put their own `invoke` in its place. */
const served = globalThis as { invokeFunction?: typeof invoke };
const isFirst = served.invokeFunction === undefined;
served.invokeFunction = invoke;

if (isFirst) {
  // The logs of functions are dropped.
  process.stdout.write = () => true;
  const server = createServer(async (request, response) => {
    try {
      const result = await served.invokeFunction?.((await json(request)) as Invocation);
      response.end(JSON.stringify({ result }));
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      response.writeHead(500).end(JSON.stringify({ name, message }));
    }
  });
  const socket = inject('functionSocket');
  // A process that ended early leaves it behind.
  rmSync(socket, { force: true });
  server.listen(socket);
}
