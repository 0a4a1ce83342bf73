import type { MakeRequest } from '../operations/sample.ts';
import { invoke } from './in-process.ts';
import { type RecordedCalls, recordCalls } from './recorded-calls.ts';
import { type OperationId, operationWithId, type World } from './world.ts';

/** Prepares one request of an operation. What is returned sends it, and throws unless it is accepted. */
const prepare = async (world: World, id: OperationId, makeRequest: MakeRequest): Promise<() => Promise<void>> => {
  const operation = operationWithId(id);
  const given = await makeRequest(world);
  const apiKey = operation.surface === 'connector' ? world.connectorKey : world.apiKey;
  return async () => {
    const { statusCode, body } = await invoke(operation, apiKey, given);
    if (statusCode !== 200) throw new Error(`${id} returned ${statusCode}: ${body}`);
  };
};

/** What a request called. */
export const measureRequest = async (world: World, id: OperationId, makeRequest: MakeRequest): Promise<RecordedCalls> =>
  recordCalls(await prepare(world, id, makeRequest));

/** How many milliseconds a request takes. `within` calls what sends it, under the conditions of the measurement. */
export const timeRequest = async (
  world: World,
  id: OperationId,
  makeRequest: MakeRequest,
  within: (act: () => Promise<void>) => Promise<void>,
): Promise<number> => {
  const act = await prepare(world, id, makeRequest);
  const start = performance.now();
  await within(act);
  return performance.now() - start;
};
