import { actorText } from '../contract/actor.ts';
import { ApiError } from '../contract/errors.ts';
import type { FunctionNameOf, Operation } from '../contract/operation.ts';
import type { DeclaredOperation } from '../contract/operations.ts';
import { withActor } from '../platform/table/actor.ts';
import { notIdempotent } from '../platform/table/idempotency-context.ts';
import { ConcurrentModificationError } from '../platform/table/keys.ts';
import { type ApiEvent, type ApiState, routeFinder } from './api-request.ts';
import { authenticateCode, bearerTokenOf, type Grant, withKey } from './authenticate.ts';
import { checkBody, readBody } from './body.ts';
import type { HandlersOf, ServedOperation } from './handlers.ts';
import { isInvalidInput, once } from './idempotency.ts';
import { readInput } from './input.ts';
import { type HttpResponse, methodOf, pipeline } from './pipeline.ts';
import { type OneFunction, serve } from './route.ts';
import { chooseOperation, respondToError, runHandler } from './run-handler.ts';

const isRetryable = ({ status, cause }: ApiError): boolean =>
  status >= 500 || cause instanceof ConcurrentModificationError;

/** Other refusals are kept for replay. docs/behavior.md#idempotency-keys */
const refusalToKeep = (error: unknown, event: ApiEvent): HttpResponse => {
  if (error instanceof ApiError && !isRetryable(error) && !isInvalidInput(error)) return respondToError(error, event);
  throw error;
};

const run = async (event: ApiEvent): Promise<HttpResponse> => {
  const { served, input, now, program, keyId = '' } = event.state;
  const method = methodOf(event);
  const idempotencyKey = event.headers['idempotency-key'];
  if (method === 'GET' || served?.declared.auth !== 'key' || !program || idempotencyKey === undefined)
    return runHandler(event, notIdempotent);
  const request = {
    programId: program.id,
    keyId,
    apiKey: bearerTokenOf(event.headers),
    endpoint: `${method} ${event.rawPath}`,
    idempotencyKey,
    content: [event.body, input?.query],
    now,
  };
  return once(request, (idempotency) =>
    runHandler(event, idempotency).catch((error: unknown) => refusalToKeep(error, event)),
  );
};

const actorOf = ({ keyKind, keyId }: Grant): string =>
  actorText({ type: keyKind === 'CONNECTOR' ? 'CONNECTED_APP' : 'API_KEY', id: keyId });

/** After the key, which is checked first. May run twice. See docs/behavior.md#order-of-checks */
const serveRequest = async (event: ApiEvent, grant?: Grant): Promise<HttpResponse> => {
  if (grant) Object.assign(event.state, { program: grant.program, keyId: grant.keyId });
  chooseOperation(event);
  checkBody(event);
  readBody(event);
  await authenticateCode(event);
  readInput(event);
  return grant ? withActor(actorOf(grant), () => run(event), event.requestContext.requestId) : run(event);
};

/** Operations that `operations.ts` does not list have no route. A test's own have ids of any text. */
type Listed<Id extends string> = string extends Id
  ? unknown
  : [Id] extends [DeclaredOperation['id']]
    ? unknown
    : { 'is not listed in shared/contract/operations.ts': Exclude<Id, DeclaredOperation['id']> };

/** The Lambda of one path, on the connector too. A forgotten handler, or an operation that has no route, does not compile. */
export const apiPath = <const Operations extends readonly Operation[]>(
  operations: Operations & OneFunction<FunctionNameOf<Operations[number]['path']>> & Listed<Operations[number]['id']>,
  handlers: HandlersOf<Operations>,
) => {
  const findRoute = routeFinder(serve<Operation, ServedOperation['handle']>(operations, handlers));
  return pipeline<ApiState>({
    begin: (request, event) => ({ ...request, route: findRoute(event) }),
    checks: [],
    handle: (event) => {
      const takesKey = event.state.route.operations.some(({ declared }) => declared.auth === 'key');
      return takesKey ? withKey(event, (grant) => serveRequest(event, grant)) : serveRequest(event);
    },
    respondToError,
  });
};
