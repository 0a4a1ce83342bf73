import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';

/** What a zip archive has, by the names of its files. */
export const filesIn = (archive: Uint8Array) => {
  const files = new Map(Object.entries(unzipSync(archive)).map(([name, content]) => [name, strFromU8(content)]));
  const textOf = (name: string): string => {
    const text = files.get(name);
    if (text === undefined) throw new Error(`There is no ${name} among ${[...files.keys()]}`);
    return text;
  };
  return {
    names: [...files.keys()],
    textOf,
    /** The JSON lines of an export. */
    linesOf: (name: string): Record<string, unknown>[] =>
      textOf(`records/${name}.jsonl`)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    rowsOf: (name: string): Record<string, string>[] => parse(textOf(`${name}.csv`), { columns: true }),
  };
};
