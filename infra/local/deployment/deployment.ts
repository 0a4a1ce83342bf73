import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { credentials, type Endpoints, pseudoParameters, region, sdkEnvironment } from '../account.ts';
import type { DataFolder } from '../data/data-folder.ts';
import type { FaultSettings } from '../faults/settings.ts';
import { type CorsConfiguration, corsConfiguration } from '../gateway/cors.ts';
import type { Invoke } from '../gateway/gateway.ts';
import type { Route } from '../gateway/routes.ts';
import type { Throttling } from '../gateway/throttle.ts';
import { deployRoles, type Identity, openIdentities } from '../iam/identities.ts';
import { deployFunctions, type FunctionMemory } from '../lambda/deploy-functions.ts';
import type { LambdaFunction } from '../lambda/function.ts';
import { createRequestsFirst } from '../lambda/requests-first.ts';
import { deploySending, openSending, validateDestinations } from '../mails/deploy-mails.ts';
import type { MailServer } from '../mails/mail-server.ts';
import { deployBuckets } from '../objects/buckets.ts';
import type { ServiceProxy } from '../proxy/proxy.ts';
import { deployQueues, type QueueServer } from '../queues/queue-server.ts';
import { startTemplateSchedules } from '../schedules/deploy-schedules.ts';
import type { Schedules } from '../schedules/schedules.ts';
import type { SecretsServer } from '../secrets/server.ts';
import type { SignInClient } from '../sign-in/settings.ts';
import { deployUserPools } from '../sign-in/user-pools.ts';
import { deployTables } from '../tables/deploy-tables.ts';
import type { Assembly } from '../template/assembly.ts';
import { refuseUnsupported } from '../template/supported.ts';
import { conditionHolds, propertiesOf, resolveText, resourcesOf, type Scope } from '../template/template.ts';
import { startEventSources } from './event-sources.ts';
import { localAddress } from './local-addresses.ts';

export interface DeploymentSettings {
  readonly assembly: Assembly;
  /** The name of a function by its logical id. */
  readonly functionName: (logicalId: string) => string;
  /** The embedded servers themselves. */
  readonly servers: Endpoints;
  /** What the names of tables begin with. */
  readonly tablePrefix: string;
  readonly secrets: SecretsServer;
  readonly queues: QueueServer;
  readonly mails: MailServer;
  /** In front of the servers, for functions and operators. */
  readonly proxy: ServiceProxy;
  /** Whether the proxy keeps which permissions were used. */
  readonly recordUsage: boolean;
  /** How the database fails on purpose. */
  readonly faults: FaultSettings | undefined;
  readonly apiUrl: string;
  /** Takes the place of the template's user pools. */
  readonly signInIssuer: string;
  /** For logs, checkpoints and what was created. */
  readonly data: DataFolder;
  /** Variables that win over the template's in every function. */
  readonly environment: Readonly<Record<string, string>>;
  readonly warn: (line: string) => void;
  readonly memory: FunctionMemory;
  readonly requestsFirst: boolean;
}

export interface Deployment {
  readonly routes: readonly Route<Invoke>[];
  readonly cors: CorsConfiguration | undefined;
  /** Of the API's stage; undefined where it has none. */
  readonly throttling: Throttling | undefined;
  readonly outputs: Record<string, string>;
  /** The applications that people may sign in to. */
  readonly signInClients: readonly SignInClient[];
  /** Starts what is scheduled, by a clock that can be turned. */
  readonly schedules: Schedules;
  /** The variables by which code outside of the functions reaches the tables and queues. */
  readonly sdkEnvironment: Record<string, string>;
  invoke(functionName: string, event: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

const drainSeconds = 5;

/** Makes a template's resources in the embedded servers and starts its functions and event sources. */
export async function deploy(settings: DeploymentSettings): Promise<Deployment> {
  const { assembly, servers, proxy, signInIssuer, warn } = settings;
  const scope = openScope(assembly, settings.apiUrl);
  settings.secrets.deploy(scope);
  deploySending(scope);
  const signInClients = deployUserPools(scope, signInIssuer);
  const tables = new DynamoDBClient({ region, credentials, endpoint: servers.dynamodb });
  const queues = new SQSClient({ region, credentials, endpoint: servers.sqs });
  const [tableKeys, expirations] = await Promise.all([
    deployTables(scope, tables, settings.tablePrefix, settings.data),
    deployBuckets(scope, servers.s3, settings.queues.expireObjects),
    // The SDK sends to the address in a queue's URL, so it is the proxy's.
    deployQueues(scope, queues, proxy.endpoints.sqs),
  ]);
  tables.destroy();
  const sending = openSending(scope, queues);
  settings.mails.serve(sending);
  await validateDestinations(sending);
  const { functions, identities } = startFunctions(scope, settings);
  const { recordUsage, faults } = settings;
  const background = [...functions.values()].filter(({ isBackground }) => isBackground).map(({ name }) => name);
  await proxy.configure({ upstreams: servers, identities, tables: tableKeys, background, recordUsage, faults });
  const checkpointFolder = join(settings.data.path, 'checkpoints');
  const pollers = startEventSources(scope, {
    functions,
    identities,
    // Reads of streams let requests go first too.
    dynamodbEndpoint: background.length > 0 ? proxy.endpoints.dynamodb : servers.dynamodb,
    queues,
    checkpointFolder,
    warn,
  });
  const schedules = startTemplateSchedules(scope, { queues, warn, others: expirations });
  return {
    ...readApi(scope, functions),
    schedules,
    outputs: readOutputs(scope, settings),
    signInClients,
    sdkEnvironment: sdkEnvironment(proxy.endpoints, credentials),
    invoke: (name, event) => {
      const target = functions.get(name);
      if (!target) throw new Error(`There is no function ${name}; there are ${[...functions.keys()].join(', ')}.`);
      return target.invoke(event);
    },
    stop: async () => {
      schedules.stop();
      const idle = Promise.all(pollers.map((poller) => poller.stop()));
      await Promise.race([idle, sleep(drainSeconds * 1000, undefined, { ref: false })]);
      await Promise.all([...functions.values()].map((target) => target.stop()));
      queues.destroy();
    },
  };
}

/** Starts the functions, each with an identity of its own. */
function startFunctions(scope: Scope, settings: DeploymentSettings) {
  const { identify } = openIdentities(scope);
  const identities: Identity[] = [];
  const functions = deployFunctions(scope, {
    assembly: settings.assembly,
    functionName: settings.functionName,
    logFolder: join(settings.data.path, 'logs'),
    surroundings: (functionName, roleArn) => {
      const identity = identify(functionName, roleArn);
      identities.push(identity);
      return sdkEnvironment(settings.proxy.endpoints, identity);
    },
    fillIn: (variables) =>
      Object.fromEntries(
        Object.entries(settings.secrets.fillIn(variables)).map(([name, value]) => [
          name,
          localAddress(value, settings),
        ]),
      ),
    overrides: settings.environment,
    warn: settings.warn,
    memory: settings.memory,
    requestsFirst: settings.requestsFirst ? createRequestsFirst(settings.proxy.expectRequest) : undefined,
    eventDelayMilliseconds: settings.faults?.eventDelayMilliseconds ?? 0,
  });
  return { functions, identities };
}

function openScope({ template, stackName }: Assembly, apiUrl: string): Scope {
  const scope: Scope = {
    template,
    pseudoParameters: pseudoParameters(stackName),
    resources: new Map(),
  };
  refuseUnsupported(scope);
  for (const { logicalId } of resourcesOf(scope, 'AWS::ApiGatewayV2::Api')) {
    scope.resources.set(logicalId, { reference: logicalId, attributes: { ApiId: logicalId, ApiEndpoint: apiUrl } });
  }
  for (const { logicalId } of resourcesOf(scope, 'AWS::ApiGatewayV2::Integration')) {
    scope.resources.set(logicalId, { reference: logicalId, attributes: {} });
  }
  deployRoles(scope);
  return scope;
}

const apiProperties = z.object({ CorsConfiguration: corsConfiguration.optional() });
const routeProperties = z.object({ RouteKey: z.string(), Target: z.string() });
const integrationProperties = z.object({ IntegrationUri: z.string() });

const stageProperties = z.object({
  DefaultRouteSettings: z
    .object({ ThrottlingRateLimit: z.number(), ThrottlingBurstLimit: z.number() })
    .transform(({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }) => ({ rate, burst }))
    .optional(),
});

function readThrottling(scope: Scope): Throttling | undefined {
  const stage = resourcesOf(scope, 'AWS::ApiGatewayV2::Stage')[0];
  return stage && propertiesOf(stageProperties, stage.resource, scope).DefaultRouteSettings;
}

/** The routes of the template's HTTP API, each with the function behind it, and its CORS configuration. */
function readApi(
  scope: Scope,
  functions: ReadonlyMap<string, LambdaFunction>,
): Pick<Deployment, 'routes' | 'cors' | 'throttling'> {
  const targets = new Map<string, LambdaFunction>();
  for (const { logicalId, resource } of resourcesOf(scope, 'AWS::ApiGatewayV2::Integration')) {
    const { IntegrationUri: uri } = propertiesOf(integrationProperties, resource, scope);
    const target = [...functions.values()].find(({ arn }) => uri === arn || uri.includes(`/${arn}/`));
    if (target) targets.set(`integrations/${logicalId}`, target);
  }
  const routes = resourcesOf(scope, 'AWS::ApiGatewayV2::Route').map(({ resource }) => {
    const { RouteKey: key, Target } = propertiesOf(routeProperties, resource, scope);
    const target = targets.get(Target);
    if (!target) throw new Error(`The route ${key} leads to no function.`);
    const invoke: Invoke = (event, onWaiting) => target.invoke(event, [], onWaiting);
    return { key, target: invoke };
  });
  const api = resourcesOf(scope, 'AWS::ApiGatewayV2::Api')[0];
  const cors = api && propertiesOf(apiProperties, api.resource, scope).CorsConfiguration;
  return { routes, cors, throttling: readThrottling(scope) };
}

/** The stack's outputs as far as they are about parts that exist here, with local addresses. */
function readOutputs(scope: Scope, addresses: { apiUrl: string; signInIssuer: string }): Record<string, string> {
  const outputs: Record<string, string> = {};
  for (const [name, { Value: value, Condition: condition }] of Object.entries(scope.template.Outputs ?? {})) {
    try {
      if (!conditionHolds(condition, scope)) continue;
      outputs[name] = localAddress(resolveText(value, scope), addresses);
    } catch {
      // An output of something that only AWS has, such as a dashboard's address.
    }
  }
  return outputs;
}
