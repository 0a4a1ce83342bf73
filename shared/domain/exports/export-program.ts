import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { ExportedName } from '../../contract/exports.ts';
import type { ImportKind } from '../../contract/imports.ts';
import { Program } from '../../contract/program.ts';
import { logError } from '../../platform/logs/log.ts';
import type { fileState, streamFile } from '../../platform/objects/files.ts';
import { type ZipEntry, ZipTooLarge, zipped } from '../../platform/objects/zip.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import type { Page, PageRequest } from '../../platform/table/page.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { handleOf } from '../programs/handles.ts';
import { programs, type StoredProgram } from '../programs/repository.ts';
import { reviewRulesOf } from '../programs/review-rules.ts';
import { csvFiles, maxMetadataColumns } from './csv-files.ts';
import { exportFile, exports, isRunning, type StoredExport } from './export-record.ts';
import { exportedKinds, isExported, type Responses, type Source } from './exported-kinds.ts';
import { ended } from './manage-exports.ts';
import { readMe } from './read-me.ts';

export const ExportMessage = z.strictObject({ programId: z.string(), exportId: z.string() });
type Message = z.output<typeof ExportMessage>;

export interface ExportTools {
  streamFile: typeof streamFile;
  fileState: typeof fileState;
  send: (message: Message, delaySeconds: number) => Promise<void>;
  now: () => Date;
}

const recordsOfPage = 100;
/** A fraction of what one partition can read, which leaves capacity for the program's own requests. docs/behavior.md#exports */
const maxRecordsPerSecond = 2000;
/** Below the function's timeout of 15 minutes, with time left for the last part of a file. */
const maxMilliseconds = 13 * 60_000;
const maxAttempts = 3;
const secondsBetweenAttempts = 60;
/** The bucket deletes it then. docs/data-model.md#the-bucket-files */
const keptDays = 7;

class TakesTooLong extends Error {
  override name = 'TakesTooLong';
}

const tooLarge =
  'The program has more records than one export can hold. Read them with the list operations of the API instead.';
const failedRepeatedly = 'The export failed repeatedly. Request another one, and contact support if that fails too.';

const sourceOf = (program: StoredProgram, { now }: ExportTools): Source => {
  const begun = now();
  async function* pages<Item>(read: (request: PageRequest) => Promise<Page<Item>>): AsyncGenerator<readonly Item[]> {
    let after: string | undefined;
    do {
      const since = performance.now();
      if (now().getTime() - begun.getTime() > maxMilliseconds)
        throw new TakesTooLong('The time of the function is over');
      const page = await read({ limit: recordsOfPage, after, isOldestFirst: true });
      if (page.entries.length > 0) yield page.items;
      after = page.next;
      const left = (page.entries.length / maxRecordsPerSecond) * 1000 - (performance.now() - since);
      if (left > 0 && after !== undefined) await sleep(left);
    } while (after !== undefined);
  }
  return { program, now: begun, pages };
};

/** An attempt, which another one ends by beginning. */
class Attempt {
  readonly #programId: string;
  readonly #now: () => Date;
  #record: StoredExport;

  constructor(programId: string, record: StoredExport, now: () => Date) {
    this.#programId = programId;
    this.#record = record;
    this.#now = now;
  }

  get record(): StoredExport {
    return this.#record;
  }

  /** Throws ConcurrentModificationError if another attempt began, somebody gave the export up, or its program went. */
  async write(changes: Partial<StoredExport>): Promise<void> {
    const before = this.#record;
    const after = { ...before, updatedAt: this.#now().toISOString(), ...changes };
    await writeTogether(exports.updateWrites(this.#programId, before, after));
    this.#record = { ...after, version: before.version + 1 };
  }
}

async function* linesOf(responses: Responses, onRecord: (record: object) => void): AsyncGenerator<string> {
  for await (const records of responses) {
    records.forEach(onRecord);
    yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
}

async function* textOf(text: string): AsyncGenerator<string> {
  yield text;
}

const csvKindOf: Partial<Record<ExportedName, ImportKind>> = {
  affiliates: 'affiliates',
  referrals: 'referrals',
  coupons: 'coupons',
  'promotional-codes': 'codes',
  sales: 'sales',
};

const settingsOf = (program: StoredProgram): string => {
  const response = { ...program, handle: handleOf(program), reviewRules: reviewRulesOf(program) };
  return `${JSON.stringify(Program.parse(response), null, 2)}\n`;
};

/** The files of the archive. After each kind its count is written to the export, which fails for a superseded attempt. */
async function* entriesOf(source: Source, attempt: Attempt): AsyncGenerator<ZipEntry> {
  const metadataKeys = new Map<ImportKind, Set<string>>();
  const noteMetadata = (kind: ImportKind) => {
    const keys = new Set<string>();
    metadataKeys.set(kind, keys);
    return (record: object) => {
      if (!('metadata' in record)) return;
      for (const key of Object.keys(record.metadata ?? {})) if (keys.size < maxMetadataColumns) keys.add(key);
    };
  };
  yield { name: 'README.txt', content: textOf(readMe(source)) };
  yield { name: 'records/program.json', content: textOf(settingsOf(source.program)) };
  for (const kind of Object.values(exportedKinds).filter(isExported)) {
    let count = 0;
    const csvKind = csvKindOf[kind.name];
    const note = csvKind ? noteMetadata(csvKind) : () => undefined;
    const onRecord = (record: object) => {
      count += 1;
      note(record);
    };
    yield { name: `records/${kind.name}.jsonl`, content: linesOf(kind.responses(source), onRecord) };
    await attempt.write({ counts: { ...attempt.record.counts, [kind.name]: count } });
  }
  yield* csvFiles(source, (kind) => [...(metadataKeys.get(kind) ?? [])].toSorted());
  await attempt.write({});
}

const makeFile = async (program: StoredProgram, attempt: Attempt, tools: ExportTools): Promise<void> => {
  const file = exportFile(program.id, attempt.record.id);
  const archive = zipped(entriesOf(sourceOf(program, tools), attempt), new Date(attempt.record.createdAt));
  await tools.streamFile(file, Readable.from(archive, { objectMode: false }));
  const state = await tools.fileState(file);
  if (!state) throw new Error(`The file of export ${file.id} is missing`);
  const now = tools.now();
  const expiresAt = new Date(now.getTime() + keptDays * 24 * 60 * 60_000).toISOString();
  await attempt.write({ ...ended(now), status: 'DONE', bytes: state.bytes, expiresAt });
};

const failure = (error: unknown, { attempt }: StoredExport): string | undefined => {
  if (error instanceof TakesTooLong || error instanceof ZipTooLarge) return tooLarge;
  return attempt >= maxAttempts ? failedRepeatedly : undefined;
};

/**
 * Makes the file of an export. Each message begins anew: what an attempt before has left is replaced as a whole, and that attempt
 * ends. Nothing happens to an export that has ended. docs/behavior.md#exports
 */
export const exportProgram = async (message: Message, tools: ExportTools): Promise<void> => {
  const { programId, exportId } = message;
  const [program, record] = await Promise.all([programs.get(programId, programId), exports.get(programId, exportId)]);
  if (!program || !record || !isRunning(record)) return;
  const attempt = new Attempt(programId, record, tools.now);
  try {
    await attempt.write({ status: 'RUNNING', attempt: record.attempt + 1, counts: {} });
    await makeFile(program, attempt, tools);
  } catch (error) {
    if (error instanceof ConcurrentModificationError) return;
    logError('export failed', error, { programId, exportId, attempt: attempt.record.attempt });
    const reason = failure(error, attempt.record);
    if (reason === undefined) await tools.send(message, secondsBetweenAttempts);
    else await attempt.write({ ...ended(tools.now()), status: 'FAILED', message: reason });
  }
};
