import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ExportTools, exportProgram } from '../../../shared/domain/exports/export-program.ts';
import type { StoredExport } from '../../../shared/domain/exports/export-record.ts';
import { createExport, findExport } from '../../../shared/domain/exports/manage-exports.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { getProgram } from '../../../shared/domain/programs/repository.ts';
import { countableChangesOf, updateTotals } from '../../../shared/domain/totals/update-totals.ts';
import type { ProgramFile } from '../../../shared/platform/objects/files.ts';
import { now } from '../../support/domain.ts';
import { watchRecords } from '../../support/watch-records.ts';
import { filesIn } from '../../support/zip-files.ts';

const newProgramId = async (): Promise<string> => {
  const { programId } = await createProgram({ name: 'Exported', ownerEmail: `${randomUUID()}@example.com` }, now);
  return programId;
};

/** A program that is exported, with a bucket in memory in which a file is there whole or not at all, as in S3. */
export const exportWorld = async (existing?: { id: string }) => {
  const programId = existing?.id ?? (await newProgramId());
  const program = await getProgram(programId);
  const changes = watchRecords(program);
  const stored = new Map<string, Buffer>();
  const sent: { delaySeconds: number }[] = [];
  const nameOf = (file: ProgramFile) => `${file.kind} ${file.programId} ${file.id}`;
  let time = new Date();
  const tools: ExportTools = {
    streamFile: async (file, content: Readable) => {
      stored.set(nameOf(file), await buffer(content));
    },
    fileState: async (file) => {
      const content = stored.get(nameOf(file));
      return content && { bytes: content.length, etag: 'etag', writtenAt: time.getTime() };
    },
    send: async (_message, delaySeconds) => void sent.push({ delaySeconds }),
    now: () => time,
  };
  const fileOf = ({ id }: { id: string }) => stored.get(nameOf({ kind: 'export-files', programId, id }));
  const work = async ({ id }: { id: string }, overrides: Partial<ExportTools> = {}): Promise<StoredExport> => {
    await exportProgram({ programId, exportId: id }, { ...tools, ...overrides });
    return findExport(programId, id);
  };
  const request = () => createExport(programId, time);
  return {
    programId,
    program,
    tools,
    sent,
    request,
    work,
    fileOf,
    /** Counts what was recorded, as the stream tells the totals worker. */
    count: async () => {
      const stream = await changes();
      while (stream.length > 0) await updateTotals(await countableChangesOf(stream.splice(0, 50)), now);
    },
    /** Moves the time on. */
    wait: (milliseconds: number) => {
      time = new Date(time.getTime() + milliseconds);
    },
    now: () => time,
    /** Exports everything; what the archive has. */
    run: async () => {
      const record = await work(await request());
      const content = fileOf(record);
      if (record.status !== 'DONE' || !content) throw new Error(`The export is ${record.status}: ${record.message}`);
      return { record, ...filesIn(content) };
    },
  };
};
