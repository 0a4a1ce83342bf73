import { describe, expect, it } from 'vitest';
import type { Operation } from '../../shared/contract/operation.ts';
import { connectorOperations, operations } from '../../shared/contract/operations.ts';
import type { ApiEvent } from '../../shared/http/api-request.ts';
import { readInput } from '../../shared/http/input.ts';

// docs/behavior.md#where-ids-go

const writes = operations.filter(({ method, body }) => method !== 'GET' && body);

/** Ids that another system gave, or a browser. */
const notOurs = /^(externalId|externalInvoiceId|referredUserExternalId|customerId|clickId)$/;
const idsOf = ({ body }: Operation): string[] =>
  Object.keys(body?.shape ?? {}).filter((name) => /^id$|Id$/.test(name) && !notOurs.test(name));

/** What a handler gets of a request. */
const inputOf = (declared: Operation, query: Record<string, unknown>, body: object) => {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const event = {
    state: { served: { declared }, program: { id: 'p' } },
    rawQueryString: new URLSearchParams(given).toString(),
    headers: {},
    body,
  } as unknown as ApiEvent;
  readInput(event);
  return event.state.input;
};

const exampleOf = (name: string): unknown =>
  name === 'saleId' ? 371820736512 : '019a0000-0000-7000-8000-0000000000d9';

/** What some ids need beside them. */
const needed = { since: '2026-01-01T00:00:00Z', paymentMethod: 'COUPON' };

/** The most fields of the example that go with the id: some ids exclude each other. */
const restOf = ({ body, example }: Operation, id: object): object => {
  const fields = Object.entries({ ...needed, ...example.body });
  const subsets = Array.from({ length: 2 ** fields.length }, (_, bits) =>
    fields.filter((_one, at) => bits & (1 << at)),
  );
  const bySize = subsets.sort((one, other) => other.length - one.length).map((some) => Object.fromEntries(some));
  const [name = ''] = Object.keys(id);
  return bySize.find((rest) => !(name in rest) && body?.safeParse({ ...rest, ...id }).success) ?? {};
};

it('every write declares the ids that it has', () => {
  expect(writes.length).toBeGreaterThan(20);
  for (const write of writes)
    expect([write.id, write.ids ?? []]).toEqual([write.id, expect.arrayContaining(idsOf(write))]);
});

const named = [...writes, ...connectorOperations].flatMap((operation) =>
  (operation.ids ?? []).map((name) => ({ id: operation.id, name, operation })),
);

describe.each(named)('$id with $name', ({ name, operation }) => {
  const value = operation.example.body?.[name] ?? exampleOf(name);
  const rest = restOf(operation, { [name]: value });

  it('in the query is the same as in the body', () => {
    const inBody = inputOf(operation, {}, { ...rest, [name]: value });
    expect(inputOf(operation, { [name]: value }, rest)?.body).toEqual(inBody?.body);
    expect(inputOf(operation, { [name]: value }, { ...rest, [name]: value })?.body).toEqual(inBody?.body);
  });

  it('in both and different is refused', () => {
    const other =
      name === 'saleId'
        ? 7
        : /Email|emailAddress/.test(name)
          ? 'other@example.com'
          : '019a0000-0000-7000-8000-0000000000da';
    expect(() => inputOf(operation, { [name]: value }, { ...rest, [name]: other })).toThrow(
      `${name} has one value in the query and another in the body`,
    );
  });
});

it('a deletion takes nothing but ids, so that it needs no body', () => {
  const deletions = writes.filter(({ method }) => method === 'DELETE');
  expect(deletions.length).toBeGreaterThan(7);
  for (const { body, ids } of deletions) expect(Object.keys(body?.shape ?? {}).sort()).toEqual([...(ids ?? [])].sort());
});
