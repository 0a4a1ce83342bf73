import { fieldError, requireRecord } from '../contract/errors.ts';
import { Page } from '../platform/table/page.ts';

/** See docs/behavior.md#selectors */
export const selectorOf = <Name extends string>(
  query: Record<string, unknown>,
  names: readonly Name[],
): { name: Name; value: string } | undefined => {
  const given = names.filter((name) => query[name] !== undefined);
  const [name, second] = given;
  if (!name) return undefined;
  if (second) throw fieldError(second, `${name} and ${second} both name a record: give one of them`);
  const other = Object.keys(query).find((key) => key !== name && key !== 'limit' && query[key] !== undefined);
  if (other) throw fieldError(other, `${other} filters a list and cannot be given together with ${name}`);
  return { name, value: String(query[name]) };
};

type Responses<Stored, ResponseBody> = (records: readonly Stored[]) => Promise<readonly ResponseBody[]>;

export const respondWithOne = async <Stored, ResponseBody>(
  record: Stored,
  responses: Responses<Stored, ResponseBody>,
): Promise<ResponseBody> => requireRecord((await responses([record]))[0], 'Record');

export const respondWithPage = async <Stored, ResponseBody>(
  page: Page<Stored>,
  responses: Responses<Stored, ResponseBody>,
): Promise<Page<ResponseBody>> => {
  const responded = await responses(page.items);
  return new Page(
    page.entries.map(({ position }, at) => ({ item: requireRecord(responded[at], 'Record'), position })),
    page.next,
  );
};
