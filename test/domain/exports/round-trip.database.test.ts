import { expect, it } from 'vitest';
import { exportedNames } from '../../../shared/contract/exports.ts';
import { type ImportKind, importKinds } from '../../../shared/contract/imports.ts';
import { importWorld } from '../imports/import-world.ts';
import { exportWorld, filesIn } from './export-world.ts';
import { fillProgram, setBaseUrls } from './full-program.ts';

it('try', { timeout: 60_000 }, async () => {
  const source = await exportWorld();
  await fillProgram(source.program);
  const archive = await source.run();
  const target = await importWorld();
  await setBaseUrls(target.program.id);
  for (const kind of importKinds) {
    const rows = archive.rowsOf(kind);
    const { results } = await target.run(kind, rows);
    (await import('node:fs')).appendFileSync('/tmp/try.txt', `${kind}\n${archive.textOf(`${kind}.csv`)}\n${results.join('\n')}\n`);
  }
});
