import { ApiError } from '../contract/errors.ts';

/** An operation of the API or a page, as the contract declares it. */
interface Declared {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

export interface Served<D extends Declared = Declared, Handle = unknown> {
  readonly declared: D;
  readonly handle: Handle;
}

type IsUnion<Type, Each = Type> = Type extends unknown ? ([Each] extends [Type] ? false : true) : never;
/** Cannot be satisfied if `FunctionName` names more than one Lambda. */
export type OneFunction<FunctionName> =
  true extends IsUnion<FunctionName> ? { readonly error: 'These belong to more than one Lambda' } : unknown;

export const serve = <D extends Declared, Handle>(declared: readonly D[], handlers: object): Served<D, Handle>[] => {
  // Safe: the types of `handlers` demand one for each id, and requests are parsed by what is declared.
  const byId = new Map<string, Handle>(Object.entries(handlers));
  return declared.map((one) => {
    const handle = byId.get(one.id);
    if (!handle) throw new Error(`${one.id} has no handler`);
    return { declared: one, handle };
  });
};

/** The path with its placeholders, as in `ANY /programs/{programId}`. */
export const routePathOf = ({ routeKey }: { routeKey: string }): string => routeKey.slice(routeKey.indexOf(' ') + 1);

/** Throws 405 with the allowed methods. */
export const findMethod = <S extends Served>(
  served: readonly S[],
  method: string,
  explain: (allowed: string) => string,
): S => {
  const found = served.find(({ declared }) => declared.method === method);
  if (found) return found;
  const allow = served.map(({ declared }) => declared.method).join(', ');
  throw new ApiError('method_not_allowed', explain(allow), { headers: { allow } });
};
