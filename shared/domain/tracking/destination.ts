import { addressWithin, originsOf } from '../affiliates/origins.ts';

const ownParameters = ['ref', 'via', 'click', 'to'];

interface Followed {
  readonly baseUrls: readonly string[];
  readonly destinationUrl: string | null | undefined;
  readonly query: URLSearchParams;
  readonly credit: { readonly ref: string; readonly click: string } | undefined;
}

/** Where a link leads: only within the origins of the program's base URLs. Undefined without one. docs/behavior.md#following-a-link */
export const destinationOf = ({ baseUrls, destinationUrl, query, credit }: Followed): URL | undefined => {
  const [first] = baseUrls;
  if (first === undefined) return undefined;
  const origins = originsOf(baseUrls);
  const start = (destinationUrl && addressWithin(origins, destinationUrl)) || new URL(first);
  const asked = query.get('to');
  const destination = (asked && addressWithin(origins, asked, start.href)) || start;
  for (const [name, value] of query) if (!ownParameters.includes(name)) destination.searchParams.append(name, value);
  if (credit) for (const [name, value] of Object.entries(credit)) destination.searchParams.set(name, value);
  return destination;
};
