import { ApiError, type ErrorDetail } from '../../contract/errors.ts';

/** Rows of a form whose fields are named by list, number and field, such as `tiers.0.rate`. Rows that are left empty are no rule. */

interface Row {
  at: number;
  values: Record<string, unknown>;
}

type Fields = Readonly<Record<string, unknown>>;

const isEntered = (value: unknown): boolean => value != null && value !== '';

/** The rows of a list in which something is entered; `chosen` are fields that always have a value. */
export const rowsOf = (form: Fields, list: string, chosen: readonly string[] = []): Row[] => {
  const byNumber = new Map<number, Record<string, unknown>>();
  for (const [field, value] of Object.entries(form)) {
    const [name, at, inRow] = field.split('.');
    if (name !== list || at === undefined || inRow === undefined || !isEntered(value)) continue;
    byNumber.set(Number(at), { ...byNumber.get(Number(at)), [inRow]: value });
  }
  return [...byNumber]
    .filter(([, values]) => Object.keys(values).some((name) => !chosen.includes(name)))
    .map(([at, values]) => ({ at, values }))
    .sort((one, other) => one.at - other.at);
};

/** Two fields of a row of which one is entered, and what to call both. */
interface EitherOr {
  fields: readonly [string, string];
  words: string;
}

const contradictionsOf = (list: string, { at, values }: Row, { fields, words }: EitherOr): ErrorDetail[] => {
  const entered = fields.filter((field) => values[field] !== undefined);
  if (entered.length === 1) return [];
  const path = `${list}.${at}.${fields[entered.length === 0 ? 0 : 1]}`;
  return [{ path, message: `Enter ${words}${entered.length === 0 ? '' : ', not both'}` }];
};

/** The API would refuse the same with the names of fields, which no form shows. */
export const refuseContradictions = (
  lists: Readonly<Record<string, readonly Row[]>>,
  alternatives: Readonly<Record<string, readonly EitherOr[]>>,
): void => {
  const details = Object.entries(alternatives).flatMap(([list, each]) =>
    (lists[list] ?? []).flatMap((row) => each.flatMap((one) => contradictionsOf(list, row, one))),
  );
  const [first] = details;
  if (first) throw new ApiError('bad_request', first.message, { details });
};

/** What the API says of a list that has no empty rows, for the form that may have some. */
const onForm = (path: string, lists: Readonly<Record<string, readonly Row[]>>): string => {
  const [list = '', at, field] = path.split('.');
  const row = lists[list]?.[Number(at)];
  return row && field ? `${list}.${row.at}.${field}` : path;
};

/** Runs an action with the rows of a form; what is refused is named as on the form. */
export const withRowNames = async <Result>(
  lists: Readonly<Record<string, readonly Row[]>>,
  action: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof ApiError) || !error.details) throw error;
    const details = error.details.map((detail) => {
      const path = onForm(detail.path, lists);
      return { ...detail, path, message: detail.message.replaceAll(detail.path, path) };
    });
    throw new ApiError(error.code, error.message, { details, cause: error });
  }
};
