import type { FunctionNameOf, Operation } from '../contract/operation.ts';
import { notIdempotent } from '../platform/table/idempotency-context.ts';
import { type ApiState, routeFinder } from './api-request.ts';
import { checkBody, readBody } from './body.ts';
import type { HandlersOf, ServedOperation } from './handlers.ts';
import { readInput } from './input.ts';
import { pipeline } from './pipeline.ts';
import { type OneFunction, serve } from './route.ts';
import { chooseOperation, respondToError, runHandler } from './run-handler.ts';

type PublicOperation = Operation & { readonly auth: 'none' };

/** The Lambda of a path that takes no key. It loads nothing of the tables, unless its handlers do. */
export const publicPath = <const Operations extends readonly PublicOperation[]>(
  operations: Operations & OneFunction<FunctionNameOf<Operations[number]['path']>>,
  handlers: HandlersOf<Operations>,
) => {
  const findRoute = routeFinder(serve<Operation, ServedOperation['handle']>(operations, handlers));
  return pipeline<ApiState>({
    begin: (request, event) => ({ ...request, route: findRoute(event) }),
    checks: [chooseOperation, checkBody, readBody, readInput],
    handle: (event) => runHandler(event, notIdempotent),
    respondToError,
  });
};
