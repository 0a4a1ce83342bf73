import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportLines } from '../../infra/admin/export.ts';
import type { Item } from '../../infra/admin/items.ts';

/** The lines of an export, of one program or of the whole table. */
export const exportedLines = (programId?: string): Promise<string[]> => Array.fromAsync(exportLines(programId));

/** The items of an export's lines. */
export const itemsOf = (lines: readonly string[]): Item[] =>
  lines.flatMap((line) => {
    const { Item } = JSON.parse(line);
    return Item ? [Item] : [];
  });

/** A folder for exports. `write` returns the file's path. */
export const exportFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'restore-'));
  return {
    write: (name: string, lines: readonly string[]): string => {
      const file = join(folder, `${name}.jsonl`);
      writeFileSync(file, lines.join(''));
      return file;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
};
