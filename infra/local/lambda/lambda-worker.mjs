import { existsSync, openSync, readlinkSync, writeSync } from 'node:fs';
import { createRequire, enableCompileCache, flushCompileCache } from 'node:module';
import { setPriority } from 'node:os';
import { basename, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { InvokeStore, InvokeStoreBase } from '@aws/lambda-invoke-store';

// The thread in which one Lambda function lives, like Lambda's own Node runtime: it loads the bundle once and returns
// each message { id, eventText, deadline, traceHeader } (milliseconds since the epoch) with { id, result } or { id, error }.
// Many invocations may run at once. This file is JavaScript because a thread that strips types needs 8 MB more for it.

const { codeFolder, handler, functionName, functionArn, memoryMegabytes, logFile, isBackground, compileCacheFolder } =
  workerData;
/** Only Linux has a priority of each thread. */
const threads = '/proc/thread-self';
if (isBackground && existsSync(threads)) setPriority(Number(basename(readlinkSync(threads))), 10);
// A stream would pass each line through the main thread, which takes a tenth of the time of a short request.
const log = openSync(logFile, 'a');
process.stdout.write = (text) => writeSync(log, text) > 0;
// A thread does not inherit the cache: compiling the bundle takes a fifth of the time of a start.
if (compileCacheFolder) enableCompileCache(compileCacheFolder);
// Where the SDK looks for the trace header of the invocation that it is called in.
const invocations = await InvokeStore.getInstanceAsync(true);
const { REQUEST_ID, X_RAY_TRACE_ID } = InvokeStoreBase.PROTECTED_KEYS;
const [fileName, exportName] = handler.split('.');
const handle = createRequire(import.meta.url)(join(codeFolder, `${fileName}.js`))[exportName];
if (typeof handle !== 'function') throw new Error(`${functionName} exports no ${handler}.`);
// Now, because a thread that is terminated writes nothing.
if (compileCacheFolder) flushCompileCache();

const contextOf = ({ id, deadline }) => ({
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

parentPort.on('message', async (invocation) => {
  const { id, eventText, traceHeader } = invocation;
  try {
    // What crosses Lambda's boundary is JSON, so undefined fields and dates must not look better here.
    const result =
      JSON.stringify(
        await invocations.run({ [REQUEST_ID]: id, [X_RAY_TRACE_ID]: traceHeader }, () =>
          handle(JSON.parse(eventText), contextOf(invocation)),
        ),
      ) ?? 'null';
    parentPort.postMessage({ id, result });
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    parentPort.postMessage({ id, error: { name, message, stack } });
  }
});
