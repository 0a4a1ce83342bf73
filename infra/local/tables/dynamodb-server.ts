import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../listen.ts';
import { findBinary } from './embedded-binary.ts';

export interface DynamoDBServer {
  readonly endpoint: string;
  /** Whether other stacks may keep their tables in it too. */
  readonly isShared: boolean;
  stop(): Promise<void>;
}

/**
 * Starts the embedded DynamoDB with its data in `folder` and waits until it responds. When DYNAMODB_ENDPOINT is set, that
 * server is used instead. `onExit` is called if it ends by itself.
 */
export async function startDynamoDB(settings: {
  folder: string;
  onExit: (reason: string) => void;
}): Promise<DynamoDBServer> {
  const given = process.env.DYNAMODB_ENDPOINT;
  if (given) return { endpoint: given, isShared: true, stop: async () => {} };
  const binary = findBinary();
  const port = await freePort();
  mkdirSync(settings.folder, { recursive: true });
  const file = join(settings.folder, 'tables.db');
  const options = ['serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', file];
  // The shell ends the database when its standard input closes, which the operating system does for us even if this
  // process is killed. A group of its own keeps Ctrl-C away from it: requests in flight still need the database.
  const supervise = 'exec 3<&0; "$@" >/dev/null & pid=$!; (cat <&3 >/dev/null; kill -9 $pid 2>/dev/null) & wait $pid';
  const shell = spawn('sh', ['-c', supervise, 'sh', binary, ...options], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  let stopping = false;
  let complaint = '';
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-500);
  });
  shell.stdin.on('error', () => {});
  const exited = once(shell, 'exit');
  exited.then(() => {
    shell.stdin.destroy();
    if (!stopping) settings.onExit(`The embedded DynamoDB ended. ${complaint.trim()}`);
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilItResponses(endpoint, () => shell.exitCode !== null);
  indexStreams(file);
  return {
    endpoint,
    isShared: false,
    stop: async () => {
      stopping = true;
      shell.stdin.destroy();
      await exited;
    },
  };
}

/**
 * dynoxide looks through every stream record at each write and each read of a stream, which takes 100 ms and 1 s after
 * 20,000 records. With this index both take 2 ms at any size.
 */
function indexStreams(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec(
    'CREATE INDEX IF NOT EXISTS local_stack_stream_order ON _stream_records (table_name, CAST(sequence_number AS INTEGER))',
  );
  database.close();
}

async function untilItResponses(endpoint: string, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline && !hasEnded()) {
    try {
      await fetch(endpoint);
      return;
    } catch {
      await sleep(20);
    }
  }
  throw new Error('The embedded DynamoDB did not start.');
}
