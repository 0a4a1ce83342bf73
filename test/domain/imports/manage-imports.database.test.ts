import { expect, it } from 'vitest';
import { imports } from '../../../shared/domain/imports/import-record.ts';
import { cancelImport, createImport } from '../../../shared/domain/imports/manage-imports.ts';
import { at, newProgram, now } from '../../support/domain.ts';
import { itemsOf } from '../../support/erasures.ts';
import { makePlannedImport } from '../../support/imports.ts';
import { importWorld } from './import-world.ts';

const later = new Date(at(1000));
const cancelled = { status: 'CANCELLED', finishedAt: at(1000), updatedAt: at(1000) };

it('an import that waits for its file, or to be run, is cancelled', async () => {
  const { id } = newProgram();
  const given = { kind: 'affiliates', preset: null, fileName: 'a.csv', makesEvents: false } as const;
  const ids = [(await createImport(id, given, now)).id, await makePlannedImport(id, 'b.csv', now)];
  for (const importId of ids) {
    await cancelImport(id, importId, later);
    expect(await imports.get(id, importId)).toMatchObject(cancelled);
  }
});

it('nothing happens to an import that has ended', async () => {
  const world = await importWorld();
  const { id, record } = await world.run('affiliates', [{ email: 'a@example.com', firstName: 'A' }]);
  expect(record.status).toBe('DONE');
  await cancelImport(world.program.id, id, later);
  expect(await world.read(id)).toMatchObject(record);
});

it('what became of each row is kept for 90 days', async () => {
  const { id } = newProgram();
  await makePlannedImport(id, 'a.csv', now);
  const [report] = await itemsOf(id, 'IMPORT', 'ROWS');
  expect(report?.ttl).toBe(Date.parse('2026-05-30T12:00:00Z') / 1000);
});
