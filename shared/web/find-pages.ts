import { routePathOfPage } from '../contract/page.ts';
import { routePathOf } from '../http/route.ts';
import type { ServedPage } from './handlers.ts';

interface FoundPages {
  /** One for each method at the address; empty if there is none. */
  pages: readonly ServedPage[];
  /** The values of the `{name}` parameters in the path. */
  parameters: Record<string, string>;
}

interface RoutedEvent {
  readonly routeKey: string;
  readonly pathParameters?: Readonly<Record<string, string | undefined>> | undefined;
}

const nameIn = (segment: string): string | undefined => /^\{(\w+)\}$/.exec(segment)?.[1];

/** Undefined if the path does not match. */
const parametersIn = (form: string, path: string): Record<string, string> | undefined => {
  const [segments, values] = [form.split('/'), path.split('/')];
  const fits = ([segment, value]: readonly [string, string]) => (nameIn(segment) ? value !== '' : value === segment);
  const pairs = segments.map((segment, at) => [segment, values[at] ?? ''] as const);
  if (segments.length !== values.length || !pairs.every(fits)) return undefined;
  return Object.fromEntries(pairs.map(([segment, value]) => [nameIn(segment) ?? '', value]).filter(([name]) => name));
};

const variablesIn = ({ declared }: ServedPage): number => declared.path.split('{').length;

/** Finds the pages at the address of a request. Fixed segments win: `/new` is not taken for an id. */
export const pageFinder = (served: readonly ServedPage[]): ((event: RoutedEvent) => FoundPages) => {
  const fixedFirst = served.toSorted((one, other) => variablesIn(one) - variablesIn(other));
  const byRoute = Map.groupBy(fixedFirst, ({ declared }) => routePathOfPage(declared) as string);
  return (event) => {
    const route = routePathOf(event);
    const { page: rest, ...others } = event.pathParameters ?? {};
    const parameters = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value ?? '']));
    const onRoute = byRoute.get(route) ?? [];
    if (rest === undefined) return { pages: onRoute, parameters };
    for (const { declared } of onRoute) {
      const found = parametersIn(declared.path.slice(route.lastIndexOf('/') + 1), rest);
      const pages = onRoute.filter((one) => one.declared.path === declared.path);
      if (found) return { pages, parameters: { ...parameters, ...found } };
    }
    return { pages: [], parameters };
  };
};
