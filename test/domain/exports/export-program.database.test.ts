import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { exportedNames } from '../../../shared/contract/exports.ts';
import { importKinds } from '../../../shared/contract/imports.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { headerOf } from '../../../shared/domain/exports/csv-files.ts';
import { exportLink } from '../../../shared/domain/exports/export-record.ts';
import { exportedKinds, isExported } from '../../../shared/domain/exports/exported-kinds.ts';
import { findExport } from '../../../shared/domain/exports/manage-exports.ts';
import { createApiKey } from '../../../shared/domain/programs/api-keys.ts';
import { deleteProgram } from '../../../shared/domain/programs/programs.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { expectRefusal, storeAffiliate } from '../../support/domain.ts';
import { filesIn } from '../../support/zip-files.ts';
import { exportWorld } from './export-world.ts';
import { fillProgram } from './full-program.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

type World = Awaited<ReturnType<typeof exportWorld>>;
type Tools = Parameters<World['work']>[1];

const everyName = Object.values(exportedKinds)
  .filter(isExported)
  .map(({ name }) => name);

describe('the file of an export', () => {
  let world: World;
  let archive: Awaited<ReturnType<World['run']>>;
  let key: string;
  beforeAll(async () => {
    world = await exportWorld();
    await fillProgram(world.program);
    key = (await createApiKey(world.programId, 'Checkout', world.now())).apiKey;
    archive = await world.run();
  });

  it('names every kind that the contract names', () => {
    expect(everyName.toSorted()).toEqual([...exportedNames].toSorted());
  });

  it.each(everyName)('has every record of the kind %s, and counts them', (name) => {
    const lines = archive.linesOf(name);
    expect(lines.length).toBeGreaterThan(0);
    expect(archive.record.counts[name]).toBe(lines.length);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
  });

  it.each(importKinds)('has every column of %s that an import reads, each with a cell of some record', (kind) => {
    const rows = archive.rowsOf(kind);
    const filled = headerOf(kind, []).filter((column) => rows.some((row) => row[column] !== ''));
    expect(filled).toEqual(headerOf(kind, []));
  });

  it('has the settings of the program, and no secret', () => {
    expect(JSON.parse(archive.textOf('records/program.json'))).toMatchObject({ id: world.programId, name: 'Exported' });
    const text = archive.names.map(archive.textOf).join('\n');
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    for (const secret of [key, world.program.ownerEmail, 'contentHash', 'searchWords'])
      expect(text).not.toContain(secret);
  });

  it('has texts of assets, and of images where they are', () => {
    // Both are of one millisecond.
    const assets = archive
      .linesOf('assets')
      .toSorted((one, other) => String(other.type).localeCompare(String(one.type)));
    expect(assets).toMatchObject([
      { type: 'TEXT', text: 'Spring is here:\n{link}', image: null },
      { type: 'IMAGE', title: 'Banner', text: null, image: { type: 'PNG', width: 3, height: 2 } },
    ]);
    expect(assets[1]?.image).toMatchObject({ path: `/images/${world.programId}/${assets[1]?.id}.png` });
    expect(assets.some((asset) => 'slot' in asset)).toBe(false);
  });

  it('says in its README what each of its files is', () => {
    const text = archive.textOf('README.txt');
    for (const name of archive.names.filter((one) => one !== 'README.txt')) expect(text).toContain(name);
  });

  it('is there for 7 days, and so is the record of its size', () => {
    const { bytes, finishedAt, expiresAt } = archive.record;
    expect(bytes).toBe(world.fileOf(archive.record)?.length);
    expect(Date.parse(expiresAt ?? '') - Date.parse(finishedAt ?? '')).toBe(7 * 86_400_000);
  });
});

it('an empty program is exported too, with all files', async () => {
  const { names, rowsOf } = await (await exportWorld()).run();
  expect(names).toHaveLength(2 + exportedNames.length + importKinds.length);
  for (const kind of importKinds) expect(rowsOf(kind)).toEqual([]);
});

/** Runs an attempt whose process dies at its write with this number: nothing that it calls after it is done. */
const dieAt = async (world: World, record: { id: string }, write: number, isAfter: boolean): Promise<boolean> => {
  const send = documents.send.bind(documents);
  let writes = 0;
  vi.spyOn(documents, 'send').mockImplementation(async (command: Parameters<typeof send>[0]) => {
    if (writes >= write) throw new Error('killed');
    if (!/^(Transact|Update|Put)/.test(command.constructor.name)) return send(command);
    writes += 1;
    if (writes === write && isAfter) await send(command);
    if (writes === write) throw new Error('killed');
    return send(command);
  });
  const killed = { send: () => Promise.reject(new Error('killed')) };
  await world.work(record, killed).catch(() => undefined);
  vi.restoreAllMocks();
  return writes >= write;
};

it.each([false, true])(
  'an attempt that dies at any of its writes is followed by one that ends it: after the write %s',
  async (isAfter) => {
    const world = await exportWorld();
    await storeAffiliate(world.program);
    const deaths: number[] = [];
    for (let write = 1; ; write++) {
      const record = await world.request();
      if (!(await dieAt(world, record, write, isAfter))) break;
      deaths.push(write);
      const ended = await world.work(record);
      expect(ended).toMatchObject({ status: 'DONE', counts: { affiliates: 1 } });
      expect(filesIn(world.fileOf(ended) ?? Buffer.of()).linesOf('affiliates')).toHaveLength(1);
    }
    // The begin, each kind, the check before the end, and the end.
    expect(deaths).toHaveLength(3 + exportedNames.length);
  },
);

it('an upload that fails is tried again three times, a minute apart, and then the export is FAILED', async () => {
  const world = await exportWorld();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const record = await world.request();
  const broken: Tools = { streamFile: () => Promise.reject(new Error('S3 is down')) };
  for (const attempt of [1, 2]) {
    expect(await world.work(record, broken)).toMatchObject({ status: 'RUNNING', attempt });
    expect(world.sent).toHaveLength(attempt);
  }
  expect(await world.work(record, broken)).toMatchObject({
    status: 'FAILED',
    message: expect.stringContaining('another'),
  });
  expect(world.sent).toEqual([{ delaySeconds: 60 }, { delaySeconds: 60 }]);
  expect(await world.work(record)).toMatchObject({ status: 'FAILED', attempt: 3 });
  expect((await world.run()).record.status).toBe('DONE');
});

it('an attempt that another one has overtaken changes nothing any more', async () => {
  const world = await exportWorld();
  const record = await world.request();
  let overtook = await findExport(world.programId, record.id);
  let isStored = false;
  await world.work(record, {
    streamFile: async (_file, content: Readable) => {
      overtook = await world.work(record);
      await buffer(content);
      isStored = true;
    },
  });
  expect(overtook).toMatchObject({ status: 'DONE', attempt: 2 });
  expect(isStored).toBe(false);
  expect(await findExport(world.programId, record.id)).toEqual(overtook);
});

it('a message that comes again after the end does nothing', async () => {
  const world = await exportWorld();
  const { record } = await world.run();
  const streamFile = vi.fn();
  expect(await world.work(record, { streamFile })).toEqual(record);
  expect(streamFile).not.toHaveBeenCalled();
});

it('a program that is deleted meanwhile gets no file', async () => {
  const world = await exportWorld();
  const record = await world.request();
  await deleteProgram(world.programId);
  await world.work(record);
  expect(world.fileOf(record)).toBeUndefined();
});

it('an export that takes longer than its function may run is FAILED at once, and says what to do instead', async () => {
  const world = await exportWorld();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const record = await world.request();
  let times = 0;
  // A quarter of an hour passes between two looks at the clock.
  const now = () => new Date(world.now().getTime() + times++ * 15 * 60_000);
  expect(await world.work(record, { now })).toMatchObject({
    status: 'FAILED',
    attempt: 1,
    message: expect.stringContaining('list operations'),
  });
});

it('a link is of the file alone, for 5 minutes, and there is none without a file', async () => {
  const world = await exportWorld();
  const sign = vi.fn(async () => 'https://files.example.com');
  const requested = await world.request();
  expect(await exportLink(world.programId, requested, sign, world.now())).toBeNull();
  const done = await world.work(requested);
  expect(await exportLink(world.programId, done, sign, world.now())).toBe('https://files.example.com');
  const file = { kind: 'export-files', programId: world.programId, id: done.id };
  const fileName = `export-${done.createdAt.slice(0, 10)}.zip`;
  expect(sign.mock.calls).toEqual([[file, { fileName, seconds: 300 }]]);
  world.wait(7 * 86_400_000);
  expect(await exportLink(world.programId, done, sign, world.now())).toBeNull();
});

describe('requests for exports', () => {
  it('at the same time make one export, and the others are refused', async () => {
    const world = await exportWorld();
    const results = await Promise.allSettled(Array.from({ length: 6 }, world.request));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 409 });
  });

  it('are refused while one runs, and accepted when it has ended', async () => {
    const world = await exportWorld();
    const record = await world.request();
    await expectRefusal(world.request, { status: 409 });
    await world.work(record);
    expect((await world.request()).status).toBe('REQUESTED');
  });

  it('give up an export that has not moved for 20 minutes, and not before', async () => {
    const world = await exportWorld();
    const dead = await world.request();
    world.wait(20 * 60_000 - 1);
    await expectRefusal(world.request, { status: 409 });
    world.wait(1);
    const next = await world.request();
    expect(await findExport(world.programId, dead.id)).toMatchObject({ status: 'FAILED', ttl: expect.any(Number) });
    expect(await world.work(next)).toMatchObject({ status: 'DONE' });
    expect(await world.work(dead)).toMatchObject({ status: 'FAILED' });
  });

  it('of another program are independent, and find none of its exports', async () => {
    const [one, other] = [await exportWorld(), await exportWorld()];
    const { id } = await one.request();
    await expectRefusal(() => findExport(other.programId, id), { status: 404 });
    expect((await other.request()).status).toBe('REQUESTED');
  });
});

it('an export does not slow others down: it reads pages of a hundred records', async () => {
  const world = await exportWorld();
  const limits: number[] = [];
  const page = affiliates.page;
  vi.spyOn(affiliates, 'page').mockImplementation((programId, request, ...rest) => {
    limits.push(request.limit);
    return page(programId, request, ...rest);
  });
  await storeAffiliate(world.program);
  await world.run();
  expect(limits).toEqual([100, 100]);
});
