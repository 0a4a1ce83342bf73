import { credentials, region } from './account.ts';
import { expectSoundData, type OwnFiles } from './data/damaged-data.ts';
import { type DataFolder, openDataFolder } from './data/data-folder.ts';
import { type Deployment, deploy } from './deployment/deployment.ts';
import type { FaultSettings } from './faults/settings.ts';
import type { UsedPermission } from './iam/usage.ts';
import { type FunctionMemory, nameFromLogicalId, thriftyMemory } from './lambda/deploy-functions.ts';
import { respondFromMailbox } from './mails/mailbox-page.ts';
import { type Parts, prepareDatabase, type Servers, startServers, stopParts } from './parts.ts';
import { startClockServer } from './schedules/clock-server.ts';
import { storedSecrets } from './secrets/server.ts';
import { storedKeys } from './sign-in/server.ts';
import { deployedFile } from './tables/deploy-tables.ts';
import type { Assembly } from './template/assembly.ts';

export interface LocalAwsSettings {
  /** What to run: a template and the folder of each function's code. Read while the servers start. */
  readonly readAssembly: () => Assembly | Promise<Assembly>;
  /** Of the API; 0 lets the operating system choose. */
  readonly port: number;
  /** Where tables, queues, logs and `endpoints.json` are kept. */
  readonly dataFolder: string;
  /** Keeps no data: a fresh folder among the temporary files serves, and the data folder only tells the address. */
  readonly ephemeral?: boolean;
  /** Deletes what earlier runs left. */
  readonly reset?: boolean;
  /** JSON files that the caller keeps in the data folder, by their names: they are checked at a start. */
  readonly ownFiles?: OwnFiles;
  /** Files that the caller announces in the data folder, for `reset`. */
  readonly announcedFiles?: readonly string[];
  /** Wins over the template's environment variables in every function. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The name of a function, for its log file and `invoke`, by its logical id; `nameFromLogicalId` by default. */
  readonly functionName?: (logicalId: string) => string;
  /** Lets functions take all the memory that makes them faster: `thriftyMemory` by default. */
  readonly memory?: FunctionMemory;
  /** Lets functions that queues and streams invoke take less of the processor than those of requests: true by default. */
  readonly requestsFirst?: boolean;
  /** Lets calls of functions to the database fail, or take longer, as those to DynamoDB may. */
  readonly faults?: FaultSettings | undefined;
  /** Keeps which permissions functions use, for `usedPermissions`. */
  readonly recordUsage?: boolean;
  /** Takes one line for each problem a person should see; console.error by default. */
  readonly warn?: (line: string) => void;
  /** Called when an embedded server ends by itself: the stack is of no use then. */
  readonly onFailure?: (reason: string) => void;
}

export interface LocalAws {
  /** The address of the HTTP API, for example http://localhost:3000. */
  readonly apiUrl: string;
  /** Signs in to the template's user pool with any email address. */
  readonly password: string;
  /** The folder that holds the data, and the caller's own files in it. */
  readonly dataFolder: string;
  readonly data: Pick<DataFolder, 'readJson' | 'writeJson' | 'announce'>;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly secretsEndpoint: string;
  readonly s3Endpoint: string;
  readonly sesEndpoint: string;
  readonly region: string;
  /** By which operators and tests reach the five endpoints with full access. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The same as variables of a process whose AWS SDK is to use this stack. */
  readonly sdkEnvironment: Readonly<Record<string, string>>;
  /** The template's outputs. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Where a POST of `{ "to": "2026-05-01T03:00:00Z" }` turns the clock of schedules. It responds when they were started; a GET with the time. */
  readonly clockEndpoint: string;
  /** Runs a function by its name, past the gateway and the queues. */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /**
   * Every permission that functions have used since the start, each with the statement of the role that allowed it. What
   * was refused is not among them. Empty unless the stack was started with `recordUsage`.
   */
  usedPermissions(): Promise<readonly UsedPermission[]>;
  /** Finishes what is in flight, for up to five seconds, and ends everything that was started. */
  stop(): Promise<void>;
}

/** The JSON files that a start leaves to the next one. */
const keptFiles = { 'secrets.json': storedSecrets, 'sign-in.json': storedKeys, 'deployed.json': deployedFile };

/**
 * Serves on this machine what CloudFormation would make of a template, and resolves when it is ready. Writes
 * `endpoints.json` into the data folder. Throws, with everything stopped again, when a part does not start.
 */
export async function startLocalAws(settings: LocalAwsSettings): Promise<LocalAws> {
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

async function startParts(settings: LocalAwsSettings, parts: Parts): Promise<Omit<LocalAws, 'stop'>> {
  const { port, ephemeral = false, reset = false, readAssembly, warn = console.error, onFailure = warn } = settings;
  const data = openData(settings);
  parts.data = data;
  if (!ephemeral) {
    const ownDatabase = !process.env.DYNAMODB_ENDPOINT;
    expectSoundData(data.path, { ownDatabase, files: keptFiles, ownFiles: settings.ownFiles ?? {} });
  }
  const servers = await startServers({ port, ephemeral, data, readAssembly, warn, onExit: onFailure }, parts);
  const { gateway, signIn } = servers;
  const prefix = await prepareDatabase(servers, { data, ephemeral, reset }, parts);
  const apiUrl = `http://localhost:${gateway.port}`;
  const deployment = await deploy({
    assembly: servers.assembly,
    functionName: settings.functionName ?? nameFromLogicalId,
    servers: {
      dynamodb: servers.dynamodb.endpoint,
      sqs: servers.queues.endpoint,
      secrets: servers.secrets.endpoint,
      s3: servers.queues.endpoint,
      ses: servers.mails.endpoint,
    },
    mails: servers.mails,
    tablePrefix: prefix,
    secrets: servers.secrets,
    queues: servers.queues,
    proxy: servers.proxy,
    recordUsage: settings.recordUsage ?? false,
    faults: settings.faults,
    apiUrl,
    signInIssuer: signIn.issuer,
    data,
    environment: settings.environment ?? {},
    warn,
    memory: settings.memory ?? thriftyMemory,
    requestsFirst: settings.requestsFirst ?? true,
  });
  parts.deployment = deployment;
  parts.clock = await startClockServer(deployment.schedules);
  signIn.serve(deployment.signInClients);
  const { mailbox } = servers.mails;
  gateway.serve(deployment.routes, deployment.cors, {
    throttling: deployment.throttling,
    ownPage: (request) => respondFromMailbox(mailbox, request),
  });
  return describeStack({ apiUrl, data, servers, deployment, clockEndpoint: parts.clock.endpoint });
}

const openData = (settings: LocalAwsSettings): DataFolder =>
  openDataFolder({
    folder: settings.dataFolder,
    address: `http://localhost:${settings.port}`,
    ephemeral: settings.ephemeral ?? false,
    reset: settings.reset ?? false,
    ownFiles: [...Object.keys(settings.ownFiles ?? {}), ...(settings.announcedFiles ?? [])],
  });

/** Announces how to reach the servers, and resolves to what the caller gets. */
function describeStack({
  apiUrl,
  data,
  servers: { proxy, signIn },
  deployment: { outputs, sdkEnvironment, invoke },
  clockEndpoint,
}: {
  apiUrl: string;
  data: DataFolder;
  servers: Servers;
  deployment: Deployment;
  clockEndpoint: string;
}): Omit<LocalAws, 'stop'> {
  const addresses = {
    dynamodbEndpoint: proxy.endpoints.dynamodb,
    sqsEndpoint: proxy.endpoints.sqs,
    secretsEndpoint: proxy.endpoints.secrets,
    s3Endpoint: proxy.endpoints.s3,
    sesEndpoint: proxy.endpoints.ses,
    clockEndpoint,
    region,
    outputs,
  };
  data.announce('endpoints.json', addresses);
  return {
    ...addresses,
    apiUrl,
    password: signIn.password,
    dataFolder: data.path,
    data,
    credentials,
    sdkEnvironment,
    invoke,
    usedPermissions: proxy.usedPermissions,
  };
}
