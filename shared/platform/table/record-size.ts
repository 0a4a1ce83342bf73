import { fieldError } from '../../contract/errors.ts';

/** An event holds a record twice and a nested one, and must fit in 256 KB. docs/behavior.md#record-size */
const maxRecordBytes = 100 * 1024;

export const bytesAsJson = (value: unknown): number =>
  Buffer.byteLength(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? Number(inner) : inner)) ?? '');

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024)} KB`;

/** A 400 that names the largest field. docs/behavior.md#record-size */
export const refuseLargeRecord = (record: object): void => {
  const bytes = bytesAsJson(record);
  if (bytes <= maxRecordBytes) return;
  const sizes = Object.entries(record).map(([name, value]) => ({ name, bytes: bytesAsJson(value) }));
  const largest = sizes.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  throw fieldError(
    largest.name,
    `The record would have ${kilobytes(bytes)} as JSON, and ${kilobytes(maxRecordBytes)} is the most; ` +
      `make ${largest.name} smaller, which has ${kilobytes(largest.bytes)}`,
  );
};
