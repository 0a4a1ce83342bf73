import type * as z from 'zod';
import type { Operation } from '../contract/operation.ts';
import type { DeclaredOperation } from '../contract/operations.ts';
import type { MethodOf, RecordFieldOf, ResourceOf } from './names.ts';
import type { CsvOptions, RequestOptions } from './options.ts';
import type { CsvPage, List } from './pages.ts';

export type ClientOperation = Exclude<DeclaredOperation, { surface: 'connector' }>;

type RecordOf<O extends Operation> = z.output<O['response']>;
type BodyOf<O extends Operation> = O extends { body: z.ZodObject } ? z.input<O['body']> : Record<never, never>;

/** What a query takes, as the service reads it: numbers and booleans instead of their text. Defaults are optional. */
type QueryOf<Schema extends z.ZodType> = {
  [Name in keyof z.output<Schema> as Name extends RequiredIn<z.input<Schema>> ? Name : never]: z.output<Schema>[Name];
} & {
  [Name in keyof z.output<Schema> as Name extends RequiredIn<z.input<Schema>> ? never : Name]?:
    | z.output<Schema>[Name]
    | undefined;
};
type RequiredIn<Input> = {
  [Name in keyof Input]-?: undefined extends Input[Name] ? never : Name;
}[keyof Input];

/** One record is read by `get`, so a list takes none of the selectors. */
type FiltersOf<O extends Operation> = Omit<
  QueryOf<O['query']>,
  O extends { selectors: readonly (infer Selector extends string)[] } ? Selector : never
>;

/** An object without fields has keys of any name, and no values. */
type IsEmpty<Shape> = Shape extends Record<string, never> ? true : false;

type Get<O extends Operation> =
  IsEmpty<z.output<O['query']>> extends true
    ? (id: string | number, options?: RequestOptions) => Promise<RecordOf<O>>
    : (id: string | number, query?: QueryOf<O['query']>, options?: RequestOptions) => Promise<RecordOf<O>>;

type GetCsv<O extends Operation> = O extends { csv: true }
  ? (id: string | number, query: QueryOf<O['query']>, options: CsvOptions) => Promise<CsvPage>
  : unknown;

type IsOptional<Body> = Record<never, never> extends Body ? true : false;

type ActOnRecord<O extends Operation, Body, Id extends keyof Body> = keyof Omit<Body, Id> extends never
  ? (id: NonNullable<Body[Id]>, options?: RequestOptions) => Promise<RecordOf<O>>
  : IsOptional<Omit<Body, Id>> extends true
    ? (id: NonNullable<Body[Id]>, fields?: Omit<Body, Id>, options?: RequestOptions) => Promise<RecordOf<O>>
    : (id: NonNullable<Body[Id]>, fields: Omit<Body, Id>, options?: RequestOptions) => Promise<RecordOf<O>>;

type Send<O extends Operation, Body> = keyof Body extends never
  ? (options?: RequestOptions) => Promise<RecordOf<O>>
  : IsOptional<Body> extends true
    ? (body?: Body, options?: RequestOptions) => Promise<RecordOf<O>>
    : (body: Body, options?: RequestOptions) => Promise<RecordOf<O>>;

/** Where the id is not the only way to name the record, the whole body may be given in its place. */
type Write<O extends Operation, Body> = [RecordFieldOf<O, Body>] extends [never]
  ? Send<O, Body>
  : IsOptional<Pick<Body, RecordFieldOf<O, Body>>> extends true
    ? ActOnRecord<O, Body, RecordFieldOf<O, Body>> & ((body: Body, options?: RequestOptions) => Promise<RecordOf<O>>)
    : ActOnRecord<O, Body, RecordFieldOf<O, Body>>;

type CallOf<O extends Operation> = O extends { lists: true }
  ? (query?: FiltersOf<O>, options?: RequestOptions) => List<RecordOf<O>>
  : O extends { parameters: z.ZodObject }
    ? GetCsv<O> & Get<O>
    : Write<O, BodyOf<O>>;

/** A method for each of some operations: `promotionalCodes.create`. */
export type ClientOf<Declared extends Operation> = {
  [Resource in ResourceOf<Declared>]: {
    [O in Declared as ResourceOf<O> extends Resource ? MethodOf<O> : never]: CallOf<O>;
  };
};

/** Every operation of the API as a method: `client.promotionalCodes.create({ ... })`. */
export type Client = ClientOf<ClientOperation>;
