import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A data folder held by this process: nobody else can hold it until `release`, or until the process ends. */
export interface DataFolder {
  readonly path: string;
  /** Writes a JSON file so that a reader sees the old content or the new, never a part. */
  writeJson(name: string, content: unknown): void;
  readJson(name: string): unknown;
  remove(name: string): void;
  release(): void;
}

export class DataFolderInUse extends Error {}

const memoryFolder = '/dev/shm';
const amplyFree = 2 * 1024 ** 3;

/** In memory where there is plenty of it: the database waits for the disk at each write, and nothing is to be kept. */
const temporaryFolder = (): string => {
  if (!existsSync(memoryFolder)) return tmpdir();
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize > amplyFree ? memoryFolder : tmpdir();
};

/**
 * Takes a data folder. `address` is what a second start will name as already running. With `reset` its content is
 * deleted first; with `ephemeral` a fresh folder among the temporary files is used and deleted on release.
 */
export function openDataFolder(settings: {
  folder: string;
  address: string;
  ephemeral?: boolean;
  reset?: boolean;
}): DataFolder {
  const path = settings.ephemeral ? mkdtempSync(join(temporaryFolder(), 'local-stack-')) : resolve(settings.folder);
  mkdirSync(path, { recursive: true });
  const unlock = lock(path, settings.address);
  if (settings.reset) {
    for (const name of [
      'dynamodb',
      'queues',
      'checkpoints',
      'logs',
      'demo-program.json',
      'sign-in.json',
      'secrets.json',
      'stack.json',
    ]) {
      rmSync(join(path, name), { recursive: true, force: true });
    }
  }
  return {
    path,
    writeJson: (name, content) => writeJsonAtomically(join(path, name), content),
    readJson: (name) => readJsonFile(join(path, name)),
    remove: (name) => rmSync(join(path, name), { force: true }),
    release: () => {
      rmSync(join(path, 'running.json'), { force: true });
      unlock();
      if (settings.ephemeral) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Replaces a JSON file by renaming a complete one over it. */
export function writeJsonAtomically(file: string, content: unknown): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The lock is an open exclusive transaction of a SQLite file, which the operating system ends with the process, however
 * it ends. A file with a process id alone would outlive a crash and could name a stranger that got the same id.
 */
function lock(path: string, address: string): () => void {
  const database = new DatabaseSync(join(path, 'lock.db'));
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch {
    database.close();
    const running = readJsonFile(join(path, 'running.json'));
    const holder = typeof running === 'object' && running !== null ? { ...running } : {};
    const pid = 'pid' in holder ? holder.pid : 'unknown';
    const where = 'address' in holder ? ` at ${holder.address}` : '';
    throw new DataFolderInUse(`The local stack is already running${where} (process ${pid}, data in ${path}).`);
  }
  writeJsonAtomically(join(path, 'running.json'), { pid: process.pid, address });
  return () => database.close();
}
