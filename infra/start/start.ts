import { parseArgs } from 'node:util';
import { DamagedData } from '../local/data/damaged-data.ts';
import { DataFolderInUse } from '../local/data/data-folder.ts';
import { type FaultSettings, randomFaults } from '../local/faults/settings.ts';
import { mailsPath } from '../local/mails/mailbox-page.ts';
import { readSettings } from '../settings.ts';
import { demoEmail } from './demo-program.ts';
import { type LocalStack, startLocalStack } from './local-stack.ts';

// `npm start`: runs the local stack until it is told to stop. Exit code 0 after SIGINT or SIGTERM, 1 after a problem.
// The options of its script in package.json keep a thread for each function from taking more memory than it uses: 150 MB
// less in all, of which 50 MB are what the allocator keeps for each thread by itself (MALLOC_ARENA_MAX). What has been
// compiled is kept for the next start (NODE_COMPILE_CACHE).

const usage = `npm start -- [options]
  --port N       the port of the API (3000, or PORT)
  --data FOLDER  where the data is kept (.local)
  --ephemeral    keep no data
  --reset        delete what earlier runs have kept
  --faults N     let N % of the functions' calls to the database fail as DynamoDB may: conflicts, throttling, unprocessed keys
  --latency MS   let each of these calls take so much longer, and transactions in flight on a common item conflict
  --quiet        print problems only`;

/** Deploy-time settings that a start may choose: they go past the template, so that no new synthesis is needed. */
const overridable = [
  'RATE_LIMIT_READS',
  'RATE_LIMIT_WRITES',
  'FORM_LIMIT',
  'WEBHOOK_EXTRA_HOSTS',
  'WEBHOOK_RETRY_SECONDS',
  'CONNECT_HOSTS',
];

const startedAt = performance.now();
const { values: options } = readOptions();
const port = Number(options.port ?? process.env.PORT ?? 3000);
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`The port must be a number up to 65535.\n${usage}`);
if (options.help) {
  console.log(usage);
  process.exit(0);
}

const environment: Record<string, string> = {};
for (const name of overridable) {
  const value = process.env[name];
  if (value) environment[name] = value;
  delete process.env[name];
}

let stack: LocalStack | undefined;
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stopAndExit(0));
process.on('uncaughtException', (error) => {
  console.error(error);
  void stopAndExit(1);
});

try {
  readSettings({ STAGE: 'local', ...environment });
  stack = await startLocalStack({
    port,
    dataFolder: options.data ?? '.local',
    ephemeral: options.ephemeral ?? false,
    reset: options.reset ?? false,
    environment,
    faults: readFaults(),
    onFailure: (reason) => {
      console.error(reason);
      void stopAndExit(1);
    },
  });
  // Told to stop while it was starting.
  if (stopping) void stack.stop().then(() => process.exit(0));
  else if (!options.quiet) announce(stack);
} catch (error) {
  fail(explain(error));
}

async function stopAndExit(code: number): Promise<void> {
  // A second signal does not wait: the operating system then ends what was started with this process.
  if (stopping) process.exit(code || 1);
  stopping = true;
  if (!stack) return;
  await stack.stop();
  process.exit(code);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        port: { type: 'string' },
        data: { type: 'string' },
        ephemeral: { type: 'boolean' },
        reset: { type: 'boolean' },
        faults: { type: 'string' },
        latency: { type: 'string' },
        quiet: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    fail(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

function readFaults(): FaultSettings | undefined {
  if (options.faults === undefined && options.latency === undefined) return undefined;
  const [percent, milliseconds] = [Number(options.faults ?? 0), Number(options.latency ?? 0)];
  if (!(percent >= 0 && percent <= 100)) fail(`--faults takes a number of percent up to 100.\n${usage}`);
  if (!(milliseconds >= 0 && milliseconds <= 10_000)) fail(`--latency takes milliseconds up to 10000.\n${usage}`);
  const inFlight = { conflictsInFlight: milliseconds > 0, latencyMilliseconds: milliseconds };
  return { ...randomFaults(percent / 100), ...inFlight };
}

function announce({ baseUrl, appUrl, apiKey, programId, password, dataFolder }: LocalStack): void {
  console.log(`Ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.

  API            ${baseUrl}
  Web app        ${appUrl}
  Sign in as     ${demoEmail}
  Password       ${password}
  Documentation  ${appUrl}/docs
  Mails          ${appUrl}${mailsPath}
  Demo program   ${programId}
  API key        ${apiKey}
  Data and logs  ${options.ephemeral ? 'none are kept' : dataFolder}

  curl ${baseUrl}/program -H 'Authorization: Bearer ${apiKey}'

Stop with Ctrl-C.`);
}

function explain(error: unknown): string {
  if (error instanceof DataFolderInUse || error instanceof DamagedData) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `Port ${port} is in use. Choose another one: npm start -- --port ${port + 1}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
