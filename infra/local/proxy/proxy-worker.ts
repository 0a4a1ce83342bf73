import { parentPort } from 'node:worker_threads';
import { credentials } from '../account.ts';
import type { FaultSettings } from '../faults/settings.ts';
import type { Tables } from '../iam/dynamodb-access.ts';
import type { Identity } from '../iam/identities.ts';
import { createUsageRecorder, type UsedPermission } from '../iam/usage.ts';
import { listenOn } from '../listen.ts';
import { createObjectServer } from '../objects/object-server.ts';
import { createRelay } from '../relay/relay.ts';
import { createGuard, type Guard } from './guard.ts';

// The thread of the proxy in front of the embedded DynamoDB, SQS, S3, Secrets Manager and SES. It tells its parent its ports at
// once, and is told what to do before the first request.

const services = ['dynamodb', 'sqs', 'secrets', 's3', 'ses'] as const;
export type Service = (typeof services)[number];

export interface ProxyConfiguration {
  /** The servers behind the proxy. */
  readonly upstreams: { readonly [service in Service]: string };
  readonly identities: readonly Identity[];
  readonly tables: Tables;
  /** The functions that wait for those of requests. */
  readonly background?: readonly string[];
  /** Whether to keep which permissions were used. */
  readonly recordUsage: boolean;
  /** How the database fails on purpose for functions. */
  readonly faults?: FaultSettings | undefined;
}

export type MessageToProxy =
  | { readonly configure: ProxyConfiguration }
  | { readonly expectRequest: true }
  | { readonly askUsage: true };
export type MessageFromProxy =
  | { readonly ports: readonly number[] }
  | { readonly configured: true }
  | { readonly warning: string }
  | { readonly used: readonly UsedPermission[] };

const port = parentPort;
const tell = (message: MessageFromProxy) => port?.postMessage(message);
const usage = createUsageRecorder();
let configuration: ProxyConfiguration | undefined;
let guard: Guard | undefined;

const listen = (service: Service): Promise<number> => {
  const upstream = (): URL => new URL(configuration?.upstreams[service] ?? '');
  return listenOn(
    service === 's3'
      ? createObjectServer({ upstream, callerOf: (accessKeyId) => guard?.callerOf(accessKeyId) })
      : createRelay({
          upstream,
          accessKeyId: credentials.accessKeyId,
          decide: (request) => guard?.decide(request) ?? {},
        }),
  );
};

port?.on('message', async (message: MessageToProxy) => {
  if ('expectRequest' in message) return guard?.expectRequest();
  if ('askUsage' in message) return tell({ used: usage.used() });
  configuration = message.configure;
  const { identities, tables, background = [], faults, recordUsage } = configuration;
  const warn = (warning: string) => tell({ warning });
  guard = createGuard({ identities, tables, background, faults, usage: recordUsage ? usage : undefined, warn });
  tell({ configured: true });
});

tell({ ports: await Promise.all(services.map(listen)) });
