import { randomBytes } from 'node:crypto';
import { apiBasePath, connectorBasePath } from '../../shared/contract/base-paths.ts';
import { filesBucketVariable } from '../../shared/contract/files.ts';
import { queueNames, queueUrlVariable } from '../../shared/contract/needs.ts';
import { functionNameOf, type Operation } from '../../shared/contract/operation.ts';
import { connectorOnly } from '../../shared/contract/operations.ts';

/** Settings of a deployed function that the test environment of the database has not. */
export const functionEnvironment = (): Record<string, string> => ({
  POWERTOOLS_METRICS_NAMESPACE: 'AffiliateProgram',
  POWERTOOLS_SERVICE_NAME: 'affiliate-program',
  RATE_LIMIT_READS: '600',
  RATE_LIMIT_WRITES: '300',
  API_URL: 'https://api.example.com',
  APP_URL: 'https://app.example.com',
  CURSOR_KEY: 'the key of cursors',
  STAGE: 'local',
  WEBHOOK_EXTRA_HOSTS: '',
  [filesBucketVariable]: 'files',
  ...Object.fromEntries(queueNames.map((name) => [queueUrlVariable(name), `https://queue.example.com/1/${name}`])),
});

/** The content of a request. */
export interface Given {
  parameters?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  headers?: Record<string, string>;
}

interface Response {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

type Handler = (event: object, context: object) => Promise<Response>;

const handlers = new Map<string, Promise<{ handler: Handler }>>();

const handlerOf = async ({ id, path }: Operation): Promise<Handler> => {
  const prefix = connectorOnly.some((one) => one.id === id) ? 'connector-' : '';
  const name = `${prefix}${functionNameOf(path)}`;
  const loading = handlers.get(name) ?? import(`../../functions/${name}.ts`);
  handlers.set(name, loading);
  return (await loading).handler;
};

/** As long as those of API Gateway. */
const requestId = (): string => randomBytes(11).toString('base64').slice(0, 15);

/** A request as API Gateway gives it to the function of an operation. */
const eventOf = ({ method, path, surface }: Operation, apiKey: string, given: Given): object => {
  const basePath = surface === 'connector' ? connectorBasePath('automation') : apiBasePath;
  const { parameters = {}, query, body, headers } = given;
  const rawPath = `${basePath}${path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''))}`;
  return {
    version: '2.0',
    routeKey: `ANY ${basePath}${path}`,
    rawPath,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    pathParameters: parameters,
    requestContext: { http: { method, path: rawPath, sourceIp: '203.0.113.1' }, requestId: requestId() },
    ...(body && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  };
};

/** Calls the function behind an operation in this process. */
export const invoke = async (operation: Operation, apiKey: string, given: Given): Promise<Response> => {
  const handle = await handlerOf(operation);
  return handle(eventOf(operation, apiKey, given), {});
};
