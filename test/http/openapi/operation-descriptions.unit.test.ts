import { describe, expect, it } from 'vitest';
import { connectorOperations, operations } from '../../../shared/contract/operations.ts';
import { responseExampleOf } from '../../../shared/contract/response-examples.ts';
import { connector, main } from './documents.ts';

describe.each([...operations, ...connectorOperations])('the description of $id', (operation) => {
  const isConnector = operation.surface === 'connector';
  const described = (isConnector ? connector : main).paths[operation.path][operation.method.toLowerCase()];

  it('has every parameter and every field of the body', () => {
    const parameters = described.parameters.flatMap(({ name }: { name?: string }) => name ?? []);
    const hidden = isConnector ? [] : (operation.selectors ?? []);
    const inPath = Object.keys(operation.parameters?.shape ?? {});
    const inQuery = Object.keys(operation.query.shape).filter((name) => !hidden.includes(name));
    expect(parameters.sort()).toEqual([...inPath, ...inQuery].sort());
    if (!operation.body) return expect(described.requestBody).toBeUndefined();
    const { properties } = described.requestBody.content['application/json'].schema;
    expect(Object.keys(properties).sort()).toEqual(Object.keys(operation.body.shape).sort());
  });

  it('has an example that the operation accepts', () => {
    const { parameters, query, body } = operation.example;
    if (operation.parameters) expect(operation.parameters.safeParse(parameters).success).toBe(true);
    expect(operation.query.safeParse(query ?? {}).success).toBe(true);
    if (operation.body) expect(operation.body.safeParse(body).success).toBe(true);
  });

  it('has an example of its response that the schema accepts as it is', () => {
    const example = responseExampleOf(operation);
    const schema = operation.lists ? operation.response.array() : operation.response;
    expect(schema.parse(example)).toEqual(example);
  });

  it('names the statuses it can respond with, each with its schema', () => {
    const expected = ['200', '400', ...(operation.auth === 'key' ? ['401', '403', '404', '429'] : [])];
    expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(expected));
    const { content } = described.responses['200'];
    const types = [operation.html ? 'text/html' : 'application/json'];
    expect(Object.keys(content)).toEqual(operation.csv && !operation.lists ? [...types, 'text/csv'] : types);
    expect(described.security).toEqual(operation.auth === 'key' ? undefined : []);
    const forms = isConnector ? ['application/json', 'application/x-www-form-urlencoded'] : ['application/json'];
    if (operation.body) expect(Object.keys(described.requestBody.content)).toEqual(forms);
  });
});
