import { operations } from '../contract/operations.ts';
import { methodOf, recordFieldOf, resourceOf } from './names.ts';

export interface Route {
  readonly resource: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The first argument is an id: it goes into the path, or into this field of the body. */
  readonly record?: string;
  /** Whether an argument for the query, or for the other fields of the body, follows. */
  readonly input: boolean;
  readonly lists: boolean;
}

/** From the contract. The package holds the values alone, without the schemas. */
export const routes: readonly Route[] = operations.map((operation): Route => {
  const { method, path, query, body, parameters, lists = false } = operation;
  const fields = Object.keys((body ?? query).shape);
  const record = parameters ? Object.keys(parameters.shape)[0] : body && recordFieldOf(operation, fields);
  const input = fields.some((field) => field !== record);
  return {
    resource: resourceOf(operation),
    name: methodOf(operation),
    method,
    path,
    ...(record !== undefined && { record }),
    input,
    lists,
  };
});
