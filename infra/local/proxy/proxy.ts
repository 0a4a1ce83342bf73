import { Worker } from 'node:worker_threads';
import type { UsedPermission } from '../iam/usage.ts';
import type { MessageFromProxy, MessageToProxy, ProxyConfiguration, Service } from './proxy-worker.ts';

/** The proxy through which everybody reaches the embedded servers. */
export interface ServiceProxy {
  /** The addresses by which functions and operators reach the servers. */
  readonly endpoints: { readonly [service in Service]: string };
  /** Tells it who may do what. It refuses everybody before. */
  configure(configuration: ProxyConfiguration): Promise<void>;
  /** Tells it that a function is about to respond to a request. */
  expectRequest(): void;
  usedPermissions(): Promise<readonly UsedPermission[]>;
  stop(): Promise<void>;
}

/** Starts the proxy in a thread of its own. `warn` gets a line for each request that was refused. */
export async function startProxy(settings: {
  warn: (line: string) => void;
  onExit: (reason: string) => void;
}): Promise<ServiceProxy> {
  const worker = new Worker(new URL('./proxy-worker.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    name: 'proxy',
  });
  let stopping = false;
  const result = <Key extends string>(key: Key) =>
    new Promise<Extract<MessageFromProxy, { [name in Key]: unknown }>>((resolve) => {
      const receive = (message: MessageFromProxy) => {
        if (!hasKey(message, key)) return;
        worker.off('message', receive);
        resolve(message);
      };
      worker.on('message', receive);
    });
  const ask = (message: MessageToProxy) => worker.postMessage(message);
  worker.on('message', (message: MessageFromProxy) => {
    if ('warning' in message) settings.warn(message.warning);
  });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  const { ports } = await Promise.race([result('ports'), failed]);
  worker.on('error', (error) => stopping || settings.onExit(`The proxy of the embedded servers ended. ${error}`));
  const [dynamodb, sqs, secrets, s3, ses] = ports.map((port) => `http://127.0.0.1:${port}`);
  return {
    endpoints: { dynamodb: dynamodb ?? '', sqs: sqs ?? '', secrets: secrets ?? '', s3: s3 ?? '', ses: ses ?? '' },
    configure: async (configure) => {
      const configured = result('configured');
      ask({ configure });
      await configured;
    },
    expectRequest: () => ask({ expectRequest: true }),
    usedPermissions: async () => {
      const usage = result('used');
      ask({ askUsage: true });
      return (await usage).used;
    },
    stop: async () => {
      stopping = true;
      await worker.terminate();
    },
  };
}

const youngMegabytes = 8;

const hasKey = <Key extends string>(
  message: MessageFromProxy,
  key: Key,
): message is Extract<MessageFromProxy, { [name in Key]: unknown }> => key in message;
