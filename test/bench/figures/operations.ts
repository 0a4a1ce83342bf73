import { samples } from '../../operations/samples.ts';
import { measureRequest, timeRequest } from '../../speed/measure.ts';
import { delayCalls } from '../../speed/recorded-calls.ts';
import { makeWorld, type OperationId, operationWithId } from '../../speed/world.ts';
import { useDatabase } from './database.ts';

/** What one request of an operation costs, in a function that knows its key. */
export interface OperationFigures {
  operation: OperationId;
  request: string;
  roundTrips: number;
  /** The time of the request with 100 ms added to each call, in units of 100 ms. */
  delayedRoundTrips: number;
  calls: number;
  readUnits: number;
  writeUnits: number;
}

const delayMilliseconds = 100;

/** Every measured request of a sample that calls a table. */
export const measureOperations = async (): Promise<OperationFigures[]> => {
  await useDatabase();
  const figures: OperationFigures[] = [];
  for (const operation of Object.keys(samples) as OperationId[]) {
    if (operationWithId(operation).auth === 'none') continue;
    const world = await makeWorld();
    for (const [request, { request: makeRequest }] of Object.entries(samples[operation].measured)) {
      const recorded = await measureRequest(world, operation, makeRequest);
      const milliseconds = await timeRequest(world, operation, makeRequest, (act) =>
        delayCalls(delayMilliseconds, act),
      );
      const delayedRoundTrips = Number((milliseconds / delayMilliseconds).toFixed(1));
      figures.push({ operation, request, delayedRoundTrips, ...recorded });
    }
  }
  return figures;
};
