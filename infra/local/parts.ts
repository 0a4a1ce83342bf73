import { join } from 'node:path';
import type { DataFolder } from './data/data-folder.ts';
import type { Deployment } from './deployment/deployment.ts';
import { type Gateway, startGateway } from './gateway/gateway.ts';
import { type MailServer, startMailServer } from './mails/mail-server.ts';
import { type ServiceProxy, startProxy } from './proxy/proxy.ts';
import { type QueueServer, startQueueServer } from './queues/queue-server.ts';
import type { ClockServer } from './schedules/clock-server.ts';
import { type SecretsServer, startSecretsServer } from './secrets/server.ts';
import { type SignInServer, startSignInServer } from './sign-in/server.ts';
import { type DynamoDBServer, startDynamoDB } from './tables/dynamodb-server.ts';
import { deleteTables, tablePrefix } from './tables/shared-tables.ts';
import type { Assembly } from './template/assembly.ts';

/** What has been started so far, so that it can be stopped whatever happens. */
export interface Parts {
  data?: DataFolder;
  gateway?: Gateway;
  dynamodb?: DynamoDBServer;
  queues?: QueueServer;
  secrets?: SecretsServer;
  mails?: MailServer;
  signIn?: SignInServer;
  proxy?: ServiceProxy;
  /** Of an ephemeral stack, in a database that outlives it. */
  deleteTables?: () => Promise<void>;
  deployment?: Deployment;
  clock?: ClockServer;
}

interface ServerSettings {
  readonly port: number;
  readonly ephemeral: boolean;
  readonly data: DataFolder;
  readonly readAssembly: () => Assembly | Promise<Assembly>;
  readonly warn: (line: string) => void;
  readonly onExit: (reason: string) => void;
}

export type Servers = Required<Omit<Parts, 'data' | 'deleteTables' | 'deployment' | 'clock'>> & {
  readonly assembly: Assembly;
};

/** Starts the embedded servers, all at once, while the assembly is read. Each is kept in `parts` when it has started. */
export async function startServers(settings: ServerSettings, parts: Parts): Promise<Servers> {
  const { port, ephemeral, data, warn, onExit } = settings;
  // The port is taken before anything slow, since that is what most likely fails; requests wait for the routes.
  const gateway = await startGateway({ port, warn });
  parts.gateway = gateway;
  const keep = async <Name extends keyof Parts>(name: Name, starting: Promise<Required<Parts>[Name]>) => {
    const part = await starting;
    Object.assign(parts, { [name]: part });
    return part;
  };
  const starting = [
    keep('dynamodb', startDynamoDB({ folder: join(data.path, 'dynamodb'), onExit })),
    keep('queues', startQueueServer({ folder: ephemeral ? undefined : join(data.path, 'queues'), onExit })),
    keep('secrets', startSecretsServer(data)),
    keep('mails', startMailServer()),
    keep('proxy', startProxy({ warn, onExit })),
    keep('signIn', startSignInServer(data, warn)),
    settings.readAssembly(),
  ] as const;
  // All of them first: what starts after another has failed must be stopped too.
  await Promise.allSettled(starting);
  const [dynamodb, queues, secrets, mails, proxy, signIn, assembly] = await Promise.all(starting);
  return { gateway, dynamodb, queues, secrets, mails, proxy, signIn, assembly };
}

/**
 * What the names of tables begin with, where other stacks may use the same database. Deletes the tables of earlier starts
 * for `reset`, and sees to it that those of an ephemeral stack are deleted at its end.
 */
export async function prepareDatabase(
  { dynamodb: { isShared, endpoint } }: Servers,
  { data, ephemeral, reset }: { data: DataFolder; ephemeral: boolean; reset: boolean },
  parts: Parts,
): Promise<string> {
  if (!isShared) return '';
  const prefix = tablePrefix(data);
  if (reset) await deleteTables(endpoint, prefix);
  if (ephemeral) parts.deleteTables = () => deleteTables(endpoint, prefix);
  return prefix;
}

/** From the outside in, so that each part still finds what it needs while it finishes. */
export async function stopParts(parts: Parts): Promise<void> {
  parts.data?.withdraw();
  await parts.gateway?.stop();
  parts.signIn?.stop();
  parts.clock?.stop();
  await parts.deployment?.stop();
  await parts.proxy?.stop();
  parts.secrets?.stop();
  parts.mails?.stop();
  await parts.deleteTables?.();
  await Promise.all([parts.queues?.stop(), parts.dynamodb?.stop()]);
  parts.data?.release();
}
