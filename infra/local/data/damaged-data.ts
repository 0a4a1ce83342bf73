import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';

/** What is lost without each file of a data folder. */
const losses: Readonly<Record<string, string>> = {
  'secrets.json': 'the values of all secrets; what was encrypted with them can no longer be read',
  'sign-in.json': 'the password and the keys of the local sign-in',
  'deployed.json': 'which tables were created here',
  'tables.json': 'which tables of a shared database belong to this folder; delete it to give them up',
  'tables.db': 'every record of every table',
  'fauxqs.db': 'messages that wait in queues, and the files in buckets',
  checkpoints: 'how far the stream of changes has been read; read from its beginning, changes are processed again',
};

/** Thrown when a file of the data folder is damaged or missing. Says which one, what is lost, and what to do. */
export class DamagedData extends Error {
  override name = 'DamagedData';

  constructor(folder: string, file: string, problem: string, loss = losses[file] ?? 'data of earlier runs') {
    super(
      `${join(folder, file)} ${problem}. It holds ${loss}.\n` +
        'Nothing was changed. Put the file back from a copy, or start with --reset: that deletes all data of earlier ' +
        'runs (records, queues, keys, logs) and begins anew.',
    );
  }
}

/** A JSON file that whoever starts the local AWS keeps in the data folder. */
interface OwnFile {
  readonly schema: z.ZodType;
  /** What is lost without it, for the message about a damaged file. */
  readonly holds: string;
}
export type OwnFiles = Readonly<Record<string, OwnFile>>;

/** The content of a JSON file as its schema has it; undefined when there is no file. Throws DamagedData. */
export function readSoundJson<Content>(
  folder: string,
  name: string,
  schema: z.ZodType<Content>,
  loss?: string,
): Content | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new DamagedData(folder, name, `cannot be read (${error instanceof Error ? error.message : error})`, loss);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'its content is not complete' : 'it is no complete JSON';
    throw new DamagedData(folder, name, `is damaged: ${reason}`, loss);
  }
}

export const checkpointFile = z.object({ streamArn: z.string(), sequenceNumber: z.string() });

/** The largest database file that is looked through at a start: of a larger one only the beginning is. */
const maxCheckedBytes = 256 * 1024 ** 2;

function expectSoundDatabase(folder: string, file: string): void {
  const path = join(folder, file);
  const name = file.slice(file.lastIndexOf('/') + 1);
  const damaged = (reason: string) => new DamagedData(dirname(path), name, `is damaged: ${reason}`);
  const { size } = statSync(path);
  if (size === 0) throw damaged('it is empty');
  let result: unknown;
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    try {
      const check = size > maxCheckedBytes ? 'SELECT count(*) FROM sqlite_master' : 'PRAGMA quick_check(1)';
      result = Object.values(database.prepare(check).get() ?? {})[0];
    } finally {
      database.close();
    }
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error));
  }
  if (typeof result === 'string' && result !== 'ok') throw damaged(result);
}

/**
 * Looks at what earlier runs have left in a data folder, before anything is started on it. Throws DamagedData when a file
 * is damaged, or missing where a start has been completed before.
 *
 * @param files the schemas of JSON files, by their names
 * @param ownFiles those of the caller, which are written after all others
 */
export function expectSoundData(
  folder: string,
  {
    ownDatabase,
    files,
    ownFiles,
  }: { ownDatabase: boolean; files: Readonly<Record<string, z.ZodType>>; ownFiles: OwnFiles },
): void {
  // Written once the database, the queues and the keys are there.
  const wasDeployed = ['deployed.json', ...Object.keys(ownFiles)].some((name) => existsSync(join(folder, name)));
  const databases = [...(ownDatabase ? ['dynamodb/tables.db'] : []), 'queues/fauxqs.db'];
  for (const file of [...databases, 'secrets.json', 'sign-in.json']) {
    if (existsSync(join(folder, file)) || !wasDeployed) continue;
    const path = join(folder, file);
    throw new DamagedData(dirname(path), file.slice(file.lastIndexOf('/') + 1), 'is missing');
  }
  for (const file of databases) if (existsSync(join(folder, file))) expectSoundDatabase(folder, file);
  for (const [name, schema] of Object.entries(files)) readSoundJson(folder, name, schema);
  for (const [name, { schema, holds }] of Object.entries(ownFiles)) readSoundJson(folder, name, schema, holds);
  const checkpoints = join(folder, 'checkpoints');
  const names = existsSync(checkpoints) ? readdirSync(checkpoints).filter((name) => name.endsWith('.json')) : [];
  for (const name of names) readSoundJson(checkpoints, name, checkpointFile, losses.checkpoints);
}
