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
import type * as z from 'zod';
import { DamagedData, readSoundJson } from './damaged-data.ts';

/** A data folder held by this process: nobody else can hold it until `release`, or until the process ends. */
export interface DataFolder {
  readonly path: string;
  /** Writes a JSON file so that a reader sees the old content or the new, never a part. */
  writeJson(name: string, content: unknown): void;
  /** The content of a JSON file; undefined when there is none. Throws DamagedData where it does not fit the schema. */
  readJson<Content>(name: string, schema: z.ZodType<Content>): Content | undefined;
  /** Writes a JSON file that tells others how to reach what runs here. */
  announce(name: string, content: unknown): void;
  /** Removes what was announced. */
  withdraw(): void;
  release(): void;
}

export class DataFolderInUse extends Error {}

const memoryFolder = '/dev/shm';
const amplyFree = 2 * 1024 ** 3;

/** In memory where there is plenty of it: the database waits for the disk at each write, and nothing is to be kept. */
export const temporaryFolder = (): string => {
  if (!existsSync(memoryFolder)) return tmpdir();
  const { bavail, bsize } = statfsSync(memoryFolder);
  return bavail * bsize > amplyFree ? memoryFolder : tmpdir();
};

/** What a run keeps, and `--reset` deletes. */
const kept = [
  'dynamodb',
  'queues',
  'checkpoints',
  'logs',
  'sign-in.json',
  'secrets.json',
  'deployed.json',
  'endpoints.json',
];

interface DataFolderSettings {
  folder: string;
  /** What a second start will name as already running. */
  address: string;
  /** Keeps the data in a fresh folder among the temporary files, which is deleted on release. */
  ephemeral?: boolean;
  /** Deletes what the folder holds first. */
  reset?: boolean;
  /** Names of files that the caller keeps or announces there, for `reset`. */
  ownFiles?: readonly string[];
}

/** Takes a data folder. Throws DataFolderInUse when another process holds it and the data is to be kept there. */
export function openDataFolder(settings: DataFolderSettings): DataFolder {
  const { folder, address, ephemeral = false, reset = false, ownFiles = [] } = settings;
  const shared = resolve(folder);
  mkdirSync(shared, { recursive: true });
  const unlock = ephemeral ? lockIfFree(shared, address) : lock(shared, address);
  const path = ephemeral ? mkdtempSync(join(temporaryFolder(), 'local-stack-')) : shared;
  if (reset) {
    for (const name of [...kept, ...ownFiles]) rmSync(join(path, name), { recursive: true, force: true });
  }
  const announced = new Set<string>();
  return {
    path,
    writeJson: (name, content) => writeJsonAtomically(join(path, name), content),
    readJson: (name, schema) => readSoundJson(path, name, schema),
    announce: (name, content) => {
      // An ephemeral stack beside another one: who looks here looks for the other.
      if (!unlock) return;
      const file = join(shared, name);
      writeJsonAtomically(file, content);
      announced.add(file);
    },
    withdraw: () => {
      for (const file of announced) rmSync(file, { force: true });
    },
    release: () => {
      if (unlock) rmSync(join(shared, 'running.json'), { force: true });
      unlock?.();
      if (ephemeral) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Replaces a JSON file by renaming a complete one over it. */
export function writeJsonAtomically(file: string, content: unknown): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
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
  } catch (error) {
    database.close();
    // SQLite's code for a database that somebody holds; with any other one the file is damaged.
    if (!(error instanceof Error && 'errcode' in error && error.errcode === 5)) {
      throw new DamagedData(path, 'lock.db', 'is damaged', 'no data: delete it');
    }
    const running = readJsonFile(join(path, 'running.json'));
    const holder = typeof running === 'object' && running !== null ? { ...running } : {};
    const pid = 'pid' in holder ? holder.pid : 'unknown';
    const where = 'address' in holder ? ` at ${holder.address}` : '';
    throw new DataFolderInUse(`The local stack is already running${where} (process ${pid}, data in ${path}).`);
  }
  writeJsonAtomically(join(path, 'running.json'), { pid: process.pid, address });
  return () => database.close();
}

function lockIfFree(path: string, address: string): (() => void) | undefined {
  try {
    return lock(path, address);
  } catch (error) {
    if (error instanceof DataFolderInUse) return undefined;
    throw error;
  }
}
