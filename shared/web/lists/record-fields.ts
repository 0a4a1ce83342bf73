import type { Entry } from '../components/blocks.tsx';
import type { CsvColumn } from './csv-download.ts';

/** Why a field is not in one of the places where fields are shown. */
export interface LeftOut {
  readonly leftOut: string;
}

export const leftOut = (reason: string): LeftOut => ({ leftOut: reason });

const isLeftOut = (place: object | null): place is LeftOut => place !== null && 'leftOut' in place;

/** For every field of a response what shows it, or why nothing does, and what is shown under names of its own. */
type ForEveryField<Response, Shown, Other extends string> = {
  readonly [Name in keyof Response & string]-?: Shown | LeftOut;
} & { readonly [Name in Other]: Shown };

type DetailEntries = Entry | readonly Entry[];

/** The details on a record's page, in this order: a new field of its response does not compile without a choice. */
export type DetailsOf<Response, Other extends string = never> = ForEveryField<Response, DetailEntries, Other>;

const isOneEntry = (entries: DetailEntries): entries is Entry => typeof entries[0] === 'string';

export const detailEntries = (details: Readonly<Record<string, DetailEntries | LeftOut>>): Entry[] =>
  Object.values(details).flatMap((entries) => {
    if (isLeftOut(entries)) return [];
    return isOneEntry(entries) ? [entries] : entries;
  });

/** The columns of a list's CSV file by their headings, in this order: a new field of its response does not compile without a choice. */
export type ColumnsOf<Response, Row, Other extends string = never> = ForEveryField<
  Response,
  CsvColumn<Row>['value'],
  Other
>;

export const csvColumns = <Row>(
  columns: Readonly<Record<string, CsvColumn<Row>['value'] | LeftOut>>,
): CsvColumn<Row>[] =>
  Object.entries(columns).flatMap(([heading, value]) => (isLeftOut(value) ? [] : [{ heading, value }]));

export const metadataEntries = (metadata: Readonly<Record<string, string | number | boolean>>): Entry[] =>
  Object.entries(metadata).map(([name, value]) => [name, String(value)]);
