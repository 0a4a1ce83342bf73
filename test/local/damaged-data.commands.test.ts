import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DamagedData } from '../../infra/local/data/damaged-data.ts';
import { startLocalStack } from '../../infra/start/local-stack.ts';
import { callApi, endStack, failedStart, runAdmin, type StartedStack, startStack } from './started-stack.ts';

// What a start does with a data folder that was damaged: files are really cut, overwritten and deleted here.

const folder = mkdtempSync(join(tmpdir(), 'damaged-data-'));
const sound = join(folder, 'sound');
let stack: StartedStack;
beforeAll(async () => {
  vi.stubEnv('DYNAMODB_ENDPOINT', '');
  stack = await startStack(sound);
  const endpoint = { url: 'https://example.com/', eventTypes: ['*'], active: false };
  expect((await callApi(stack, 'POST', '/webhooks', endpoint)).status).toBe(200);
  await callApi(stack, 'POST', '/coupons', { name: 'Spring', percentOff: 20 });
  await endStack(stack);
  // Until then, SQLite keeps the newest content in a file beside the database.
  for (const file of ['dynamodb/tables.db', 'queues/fauxqs.db']) {
    const database = new DatabaseSync(join(sound, file));
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  }
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await endStack(stack, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The lock and what SQLite keeps beside its files are no data. */
const isNoData = /(^|\/)(lock\.db|running\.json)|-(shm|wal|journal)$/;

/** Every file of a folder with a hash of its content. */
const contentOf = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !isNoData.test(file))
      .map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]),
  );

const cutInTheMiddle = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2));
const empty = (file: string) => truncateSync(file, 0);
const remove = (file: string) => rmSync(file, { recursive: true });
const overwriteTheBeginning = (file: string) => {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 0, 200);
  writeFileSync(file, bytes);
};
const overwriteTheMiddle = (file: string) => {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, Math.floor(bytes.length / 4), Math.floor((bytes.length * 3) / 4));
  writeFileSync(file, bytes);
};
const replaceByText = (file: string) => writeFileSync(file, 'no database '.repeat(100));
const replaceByNothing = (file: string) => {
  rmSync(file);
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE unrelated (id)');
  database.close();
};

const checkpoint = () => `checkpoints/${readdirSync(join(sound, 'checkpoints'))[0]}`;
const lossOf = {
  secrets: 'the values of all secrets; what was encrypted with them can no longer be read',
  database: 'every record of every table',
  queues: 'messages that wait in queues',
};

const cases: [file: string | (() => string), damage: (file: string) => void, loss: string][] = [
  ['secrets.json', cutInTheMiddle, lossOf.secrets],
  ['secrets.json', empty, lossOf.secrets],
  ['secrets.json', remove, lossOf.secrets],
  ['secrets.json', (file) => writeFileSync(file, '{"Sessions":{}}'), lossOf.secrets],
  ['sign-in.json', cutInTheMiddle, 'the password and the keys of the local sign-in'],
  ['sign-in.json', remove, 'the password and the keys of the local sign-in'],
  ['demo-program.json', cutInTheMiddle, 'the id and the API key of the demo program'],
  ['deployed.json', cutInTheMiddle, 'which tables were created here'],
  [checkpoint, cutInTheMiddle, 'how far the stream of changes has been read'],
  ['dynamodb/tables.db', remove, lossOf.database],
  ['dynamodb/tables.db', empty, lossOf.database],
  ['dynamodb/tables.db', cutInTheMiddle, lossOf.database],
  ['dynamodb/tables.db', overwriteTheBeginning, lossOf.database],
  ['dynamodb/tables.db', overwriteTheMiddle, lossOf.database],
  ['queues/fauxqs.db', remove, lossOf.queues],
  ['queues/fauxqs.db', overwriteTheBeginning, lossOf.queues],
  ['queues/fauxqs.db', cutInTheMiddle, lossOf.queues],
  ['lock.db', replaceByText, 'no data: delete it'],
];

/** The message of a start in this process. Throws when the stack starts, or fails for another reason. */
const damageFoundByStart = async (dataFolder: string): Promise<string> => {
  try {
    const started = await startLocalStack({ port: 0, dataFolder });
    await started.stop();
  } catch (error) {
    if (error instanceof DamagedData) return error.message;
    throw error;
  }
  throw new Error('The stack started on damaged data.');
};

const damage = (file: string | (() => string), destroy: (file: string) => void) => {
  const damaged = mkdtempSync(join(folder, 'case-'));
  cpSync(sound, damaged, { recursive: true });
  const name = typeof file === 'string' ? file : file();
  destroy(join(damaged, name));
  return { damaged, path: join(damaged, name) };
};

describe('a start on a data folder with a damaged file, always of the embedded database, whose file is in it,', () => {
  it.each(cases)(
    '(%s, %o) says which file, what is lost and what --reset does, and changes nothing',
    async (file, destroy, loss) => {
      const { damaged, path } = damage(file, destroy);
      const before = contentOf(damaged);
      const message = await damageFoundByStart(damaged);
      expect(message).toContain(path);
      expect(message).toContain(loss);
      expect(message).toContain('start with --reset: that deletes all data');
      expect(contentOf(damaged)).toEqual(before);
    },
  );

  const wholeStarts = [
    ['secrets.json', cutInTheMiddle],
    ['dynamodb/tables.db', cutInTheMiddle],
    ['lock.db', replaceByText],
  ];
  it.each(cases.filter((one) => wholeStarts.some(([file, destroy]) => one[0] === file && one[1] === destroy)))(
    '(%s, %o) ends with exit code 1 and the message alone, without a stack trace',
    async (file, destroy, loss) => {
      const { damaged, path } = damage(file, destroy);
      const before = contentOf(damaged);
      const { exitCode, output } = await failedStart(damaged, '--port', '0');
      expect(exitCode).toBe(1);
      expect(output).toContain(path);
      expect(output).toContain(loss);
      expect(output).not.toMatch(/\n\s+at /);
      expect(contentOf(damaged)).toEqual(before);
    },
  );

  it('whose tables are gone names them, instead of giving a key that is refused with 401', async () => {
    const damaged = mkdtempSync(join(folder, 'case-'));
    cpSync(sound, damaged, { recursive: true });
    replaceByNothing(join(damaged, 'dynamodb', 'tables.db'));
    const { exitCode, output } = await failedStart(damaged, '--port', '0');
    expect(exitCode).toBe(1);
    expect(output).toMatch(/dynamodb lacks the table \S*Records/);
    expect(output).toContain('start with --reset');
    expect(output).not.toContain('Ready after');
  });

  it('begins anew with --reset, and an undamaged one goes on with its keys and records', async () => {
    const damaged = mkdtempSync(join(folder, 'case-'));
    cpSync(sound, damaged, { recursive: true });
    cutInTheMiddle(join(damaged, 'secrets.json'));
    overwriteTheBeginning(join(damaged, 'dynamodb', 'tables.db'));
    const anew = await startStack(damaged, '--reset');
    const [programAnew] = [await callApi(anew, 'GET', '/program'), await endStack(anew)];
    expect([programAnew.status, anew.apiKey === stack.apiKey]).toEqual([200, false]);

    const again = await startStack(sound);
    const webhooks = await callApi(again, 'GET', '/webhooks');
    await endStack(again);
    expect(again.apiKey).toBe(stack.apiKey);
    expect(webhooks.body[0].secret).toMatch(/^whsec_/);
  }, 120_000);
});

it('a command of the operator says that the file with the addresses is damaged', async () => {
  const damaged = mkdtempSync(join(folder, 'case-'));
  writeFileSync(join(damaged, 'endpoints.json'), '{"dynamodbEndpoint":');
  const { exitCode, problems } = await runAdmin(damaged, 'key', 'list', '--program', stack.programId);
  expect(exitCode).toBe(1);
  expect(problems).toContain('endpoints.json is damaged. Restart the local stack');
  expect(problems).not.toMatch(/\n\s+at /);
});
