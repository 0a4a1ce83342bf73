import { join } from 'node:path';
import { apiBasePath } from '../../shared/contract/base-paths.ts';
import { ensureSynthesized } from '../synth.ts';
import { credentials, region } from './account.ts';
import { expectSoundData } from './data/damaged-data.ts';
import { type DataFolder, openDataFolder } from './data/data-folder.ts';
import { type DemoProgram, demoEmail, demoProgram, findOrMakeDemoProgram } from './demo-program.ts';
import { type Deployment, deploy } from './deployment/deployment.ts';
import type { FaultSettings } from './faults/settings.ts';
import { type Gateway, startGateway } from './gateway/gateway.ts';
import type { UsedPermission } from './iam/usage.ts';
import { type FunctionMemory, thriftyMemory } from './lambda/deploy-functions.ts';
import { type ServiceProxy, startProxy } from './proxy/proxy.ts';
import { type QueueServer, startQueueServer } from './queues/queue-server.ts';
import { type SecretsServer, startSecretsServer, storedSecrets } from './secrets/server.ts';
import { type SignInServer, startSignInServer, storedKeys } from './sign-in/server.ts';
import { deployedFile } from './tables/deploy-tables.ts';
import { type DynamoDBServer, startDynamoDB } from './tables/dynamodb-server.ts';
import { deleteTables, tablePrefix } from './tables/shared-tables.ts';
import { readAssembly } from './template/assembly.ts';

export interface LocalStackSettings {
  /** Of the API; 0 lets the operating system choose. */
  readonly port: number;
  /** Where tables, queues, logs and `stack.json` are kept. */
  readonly dataFolder: string;
  /** Keeps no data: a fresh folder among the temporary files serves, and the data folder only tells the address. */
  readonly ephemeral?: boolean;
  /** Deletes what earlier runs left. */
  readonly reset?: boolean;
  /** Wins over the template's environment variables in every function, for example RATE_LIMIT_READS. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Lets functions take all the memory that makes them faster: `thriftyMemory` by default. */
  readonly memory?: FunctionMemory;
  /** A cloud assembly to run instead of the product's own. */
  readonly assemblyFolder?: string;
  /** Lets calls of functions to the database fail, or take longer, as those to DynamoDB may. */
  readonly faults?: FaultSettings | undefined;
  /** Keeps which permissions functions use, for `usedPermissions`. */
  readonly recordUsage?: boolean;
  /** Takes one line for each problem a person should see; console.error by default. */
  readonly warn?: (line: string) => void;
  /** Called when an embedded server ends by itself: the stack is of no use then. */
  readonly onFailure?: (reason: string) => void;
}

export interface LocalStack extends DemoProgram {
  /** The API with its base path, for example http://localhost:3000/api/v1. */
  readonly baseUrl: string;
  readonly appUrl: string;
  /** Signs in to the web application with any email address. */
  readonly password: string;
  readonly dataFolder: string;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly secretsEndpoint: string;
  readonly region: string;
  /** By which operators and tests reach the three endpoints with full access. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The template's outputs. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Runs a function by its name, the one of its file in `functions/`, past the gateway and the queues. */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /**
   * Every permission that functions have used since the start, each with the statement of the role that allowed it. What
   * was refused is not among them. Empty unless the stack was started with `recordUsage`.
   */
  usedPermissions(): Promise<readonly UsedPermission[]>;
  /** Finishes what is in flight, for up to five seconds, and ends everything that was started. */
  stop(): Promise<void>;
}

interface Parts {
  data?: DataFolder;
  gateway?: Gateway;
  dynamodb?: DynamoDBServer;
  queues?: QueueServer;
  secrets?: SecretsServer;
  signIn?: SignInServer;
  proxy?: ServiceProxy;
  /** Of an ephemeral stack, in a database that outlives it. */
  deleteTables?: () => Promise<void>;
  deployment?: Deployment;
}

/** The JSON files that a start leaves to the next one. */
const keptFiles = {
  'secrets.json': storedSecrets,
  'sign-in.json': storedKeys,
  'demo-program.json': demoProgram,
  'deployed.json': deployedFile,
};

/**
 * Serves on this machine what `cdk deploy` would deploy, and answers when it is ready. Writes `stack.json` and
 * `endpoints.json` into the data folder. Throws, with everything stopped again, when a part does not start.
 */
export async function startLocalStack(settings: LocalStackSettings): Promise<LocalStack> {
  const parts: Parts = {};
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopParts(parts);
    return stopped;
  };
  try {
    return { ...(await startParts(settings, parts)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(settings: LocalStackSettings, parts: Parts): Promise<Omit<LocalStack, 'stop'>> {
  const { port, dataFolder, ephemeral = false, reset = false, environment = {} } = settings;
  const warn = settings.warn ?? console.error;
  const onExit = settings.onFailure ?? warn;
  const data = openDataFolder({ folder: dataFolder, address: `http://localhost:${port}`, ephemeral, reset });
  parts.data = data;
  if (!ephemeral) expectSoundData(data.path, { ownDatabase: !process.env.DYNAMODB_ENDPOINT, files: keptFiles });

  // The port is taken before anything slow, since that is what most likely fails; requests wait for the routes.
  const gateway = await startGateway({ port, warn });
  parts.gateway = gateway;
  const starting = [
    startDynamoDB({ folder: join(data.path, 'dynamodb'), onExit }).then((server) => {
      parts.dynamodb = server;
      return server;
    }),
    startQueueServer({ folder: ephemeral ? undefined : join(data.path, 'queues'), onExit }).then((server) => {
      parts.queues = server;
      return server;
    }),
    startSecretsServer(data).then((server) => {
      parts.secrets = server;
      return server;
    }),
    startProxy({ warn, onExit }).then((proxy) => {
      parts.proxy = proxy;
      return proxy;
    }),
    settings.assemblyFolder ? { assemblyFolder: settings.assemblyFolder } : ensureSynthesized(),
  ] as const;
  // All of them first: what starts after another has failed must be stopped too.
  await Promise.allSettled(starting);
  const [dynamodb, queues, secrets, proxy, { assemblyFolder }] = await Promise.all(starting);

  const prefix = dynamodb.isShared ? tablePrefix(data) : '';
  if (dynamodb.isShared) {
    if (reset) await deleteTables(dynamodb.endpoint, prefix);
    if (ephemeral) parts.deleteTables = () => deleteTables(dynamodb.endpoint, prefix);
  }
  const signIn = await startSignInServer(data, warn);
  parts.signIn = signIn;
  const appUrl = `http://localhost:${gateway.port}`;
  const deployment = await deploy({
    assembly: await readAssembly(assemblyFolder),
    servers: { dynamodb: dynamodb.endpoint, sqs: queues.endpoint, secrets: secrets.endpoint },
    tablePrefix: prefix,
    secrets,
    proxy,
    recordUsage: settings.recordUsage ?? false,
    faults: settings.faults,
    apiUrl: appUrl,
    signInIssuer: signIn.issuer,
    data,
    environment,
    warn,
    memory: settings.memory ?? thriftyMemory,
  });
  parts.deployment = deployment;
  signIn.serve(deployment.signInClients);
  gateway.serve(deployment.routes, deployment.cors, deployment.throttling);

  const { outputs } = deployment;
  const { programId, apiKey } = await findOrMakeDemoProgram(data, deployment.sdkEnvironment, outputs);
  const baseUrl = `${appUrl}${apiBasePath}`;
  data.announce('endpoints.json', {
    dynamodbEndpoint: proxy.endpoints.dynamodb,
    sqsEndpoint: proxy.endpoints.sqs,
    secretsEndpoint: proxy.endpoints.secrets,
    region,
    outputs,
  });
  data.announce('stack.json', {
    baseUrl,
    appUrl,
    programId,
    apiKey,
    email: demoEmail,
    password: signIn.password,
    pid: process.pid,
  });
  return {
    baseUrl,
    appUrl,
    programId,
    apiKey,
    password: signIn.password,
    dataFolder: data.path,
    dynamodbEndpoint: proxy.endpoints.dynamodb,
    sqsEndpoint: proxy.endpoints.sqs,
    secretsEndpoint: proxy.endpoints.secrets,
    region,
    credentials,
    usedPermissions: proxy.usedPermissions,
    outputs,
    invoke: deployment.invoke,
  };
}

/** From the outside in, so that each part still finds what it needs while it finishes. */
async function stopParts(parts: Parts): Promise<void> {
  parts.data?.withdraw();
  await parts.gateway?.stop();
  parts.signIn?.stop();
  await parts.deployment?.stop();
  await parts.proxy?.stop();
  parts.secrets?.stop();
  await parts.deleteTables?.();
  await Promise.all([parts.queues?.stop(), parts.dynamodb?.stop()]);
  parts.data?.release();
}
