// The build without a `require` of its own: the bundle defines one.
import { Zip, ZipDeflate } from 'fflate/browser';

/** A file of an archive. Its content is read once the files before it are written. */
export interface ZipEntry {
  readonly name: string;
  readonly content: AsyncIterable<string>;
}

/** Thrown for a file or an archive that would pass 4 GB, which the format of 1993 cannot say and old programs cannot read. */
export class ZipTooLarge extends Error {
  override name = 'ZipTooLarge';
}

const maxBytes = 2 ** 32 - 1;

/**
 * The bytes of a zip archive, as they are made: a piece of one file is in memory at a time.
 *
 * @param entries its files in their order, with texts that become UTF-8
 * @param at the time that all files bear
 */
export async function* zipped(entries: AsyncIterable<ZipEntry>, at: Date): AsyncGenerator<Uint8Array> {
  let made: Uint8Array[] = [];
  let total = 0;
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    made.push(piece);
    total += piece.length;
    if (total > maxBytes) throw new ZipTooLarge('The archive would be larger than 4 GB');
  });
  const taken = (): Uint8Array[] => {
    const pieces = made;
    made = [];
    return pieces;
  };
  for await (const { name, content } of entries) {
    const file = new ZipDeflate(name, { level: 6 });
    file.mtime = at;
    zip.add(file);
    let bytes = 0;
    for await (const text of content) {
      const piece = Buffer.from(text);
      bytes += piece.length;
      if (bytes > maxBytes) throw new ZipTooLarge(`${name} would be larger than 4 GB`);
      file.push(piece);
      yield* taken();
    }
    file.push(new Uint8Array(), true);
    yield* taken();
  }
  zip.end();
  yield* taken();
}
