import { ApiError } from '../../contract/errors.ts';

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
