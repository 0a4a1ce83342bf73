import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

// The thread in which one Lambda function lives, like Lambda's own Node runtime: it loads the bundle once and answers
// each message { id, event, deadline } with { id, result } or { id, error }. Many invocations may run at once.

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

const { codeFolder, handler, functionName, functionArn, memoryMegabytes } = workerData;
const [fileName, exportName] = String(handler).split('.');
const bundle = createRequire(import.meta.url)(join(codeFolder, `${fileName}.js`));
const handle = bundle[exportName ?? 'handler'];
if (typeof handle !== 'function') throw new Error(`${functionName} exports no ${handler}.`);

const contextOf = ({ id, deadline }: Invocation) => ({
  callbackWaitsForEmptyEventLoop: true,
  functionName,
  functionVersion: '$LATEST',
  invokedFunctionArn: functionArn,
  memoryLimitInMB: String(memoryMegabytes),
  awsRequestId: id,
  logGroupName: `/aws/lambda/${functionName}`,
  logStreamName: 'local',
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

parentPort?.on('message', async (invocation: Invocation) => {
  const { id, event } = invocation;
  try {
    const result = await handle(event, contextOf(invocation));
    // What crosses Lambda's boundary is JSON, so undefined fields and dates must not look better here.
    parentPort?.postMessage({ id, result: result === undefined ? 'null' : (JSON.stringify(result) ?? 'null') });
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    parentPort?.postMessage({ id, error: { name, message, stack } });
  }
});
