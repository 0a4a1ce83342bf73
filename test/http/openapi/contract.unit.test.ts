import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { eventCatalogue } from '../../../events/catalogue.ts';
import { metadata, paging, recordFields } from '../../../shared/contract/fields.ts';
import { connectorOperations, operations } from '../../../shared/contract/operations.ts';
import { tagDescriptions } from '../../../shared/contract/tags.ts';
import { connector, main } from './documents.ts';

/** Of a type of event: what the reference under `webhooks` points to. */
const webhookOf = (type: string) => main.components.pathItems[String(main.webhooks[type].$ref).split('/').at(-1) ?? ''];

/** Every value under a key of that name, anywhere in a document. */
const everyValueOf = (name: string, value: unknown): unknown[] => {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name ? [inner] : []),
    ...everyValueOf(name, inner),
  ]);
};

/** The entries of every map or list under a key of that name, with a name for each. */
const namedIn = (document: unknown, key: string): [string, unknown][] =>
  everyValueOf(key, document).flatMap((all) =>
    Object.entries(Object(all)).map(([name, value]): [string, unknown] => [`${key}.${name}`, value]),
  );

/** The types that a field of the contract is made of, without what wraps them. */
const typesIn = (schema: unknown): z.core.$ZodType[] => {
  if (!(schema instanceof z.core.$ZodType)) return [];
  const def: object = schema._zod.def;
  const inner = ['innerType', 'in', 'out', 'element', 'options'].flatMap((key) => Reflect.get(def, key) ?? []);
  return inner.length === 0 ? [schema] : inner.flatMap(typesIn);
};

interface Use {
  name: string;
  text: string | undefined;
  /** The resource of the operation or component, or that it chooses among the records of a list. */
  about: string;
}

/** A component is about the resource whose singular it begins with, such as `CouponOfCode`; else about itself, sent or not. */
const resourceOf = (named: string): string => {
  const component = named.replace(/^Sent|Input$/g, '').replace(/^(Request|Change)(?=Error$)/, '');
  const singulars = Object.keys(tagDescriptions).map((tag) => ({
    tag,
    singular: tag
      .replace(/ies$/, 'y')
      .replace(/(?<=ch)es$|s$/, '')
      .replaceAll(/ (\w)/g, (_, letter) => letter.toUpperCase()),
  }));
  const found = singulars.filter(({ singular }) => component.startsWith(singular));
  return found.sort((one, other) => other.singular.length - one.singular.length)[0]?.tag ?? component;
};

const plainText = (text: string | undefined): string | undefined => text?.replace(/ Here or in the body\.$/, '');

/** Every parameter, and every field of a body, response and component, without those of nested objects. */
const usesOfFields = (described: typeof operations, document: typeof main): Use[] => {
  const fieldsOf = (schema: Record<string, Record<string, { description?: string }>>, about: string): Use[] =>
    Object.entries(schema.properties ?? schema.items?.properties ?? {}).flatMap(([name, { description: text }]) =>
      text === undefined ? [] : [{ name, text, about }],
    );
  const ofOperations = described.flatMap((operation): Use[] => {
    const { parameters, requestBody, responses } = document.paths[operation.path][operation.method.toLowerCase()];
    const { 'application/json': sent } = requestBody?.content ?? {};
    const { 'application/json': returned } = responses['200'].content;
    return [
      ...parameters.flatMap(({ name, description, in: place }: Record<string, string>) => {
        if (!name) return [];
        const about = operation.lists && place === 'query' ? 'lists' : operation.tag;
        return [{ name, text: plainText(description), about }];
      }),
      ...fieldsOf(sent?.schema ?? {}, operation.tag),
      ...fieldsOf(returned?.schema ?? {}, operation.tag),
    ];
  });
  const ofComponents = Object.entries<{ properties: Record<string, Record<string, never>> }>(
    document.components.schemas,
  ).flatMap(([name, schema]) => {
    const isEvent = name.endsWith('Event');
    const before = schema.properties.previousAttributes ?? {};
    return [
      ...fieldsOf({ ...schema }, isEvent ? 'Events' : resourceOf(name)),
      ...(isEvent ? fieldsOf({ ...before }, resourceOf(name)) : []),
    ];
  });
  return [...ofOperations, ...ofComponents];
};

describe('the documents of the contract', () => {
  it('describes every field, parameter, header, tag and response', () => {
    for (const document of [main, connector]) {
      const properties = everyValueOf('properties', document).flatMap((fields) => Object.entries(Object(fields)));
      const named = [
        ...properties,
        ...['parameters', 'headers'].flatMap((key) => namedIn(document, key)),
        ...document.tags.entries(),
      ];
      expect(named.length).toBeGreaterThan(100);
      const missing = named.filter(
        ([, value]) => !(value instanceof Object && ('description' in value || '$ref' in value)),
      );
      expect(missing.map(([name]) => name)).toEqual([]);
    }
  });

  it('describes the fields of a schema by what they are there, not by all that their name can mean', () => {
    const { CodeStructure, Affiliate } = main.components.schemas;
    expect(CodeStructure.properties.firstName.description).toBe('Include the first name.');
    expect(Affiliate.properties.firstName.description).toBe('The first name.');
    const connection = connector.paths['/token'].post.requestBody.content['application/json'].schema;
    expect(connection.properties.code.description).toBe('The authorization code.');
    const texts = everyValueOf('description', [main, connector]).filter((text) =>
      /codeStructure`: include|In a (connection|detail):/.test(String(text)),
    );
    expect(texts).toEqual([]);
  });

  it('describes a field by what it means there: nowhere the text that its name has in a schema about something else', () => {
    const sameEverywhere = [...Object.values(recordFields), ...Object.values(paging), metadata].map(
      ({ description }) => description,
    );
    const uses = [...usesOfFields(operations, main), ...usesOfFields(connectorOperations, connector)];
    const things = Map.groupBy(uses, ({ name, text }) => `${name}: ${text}`);
    expect(Map.groupBy(uses, ({ name }) => name).get('status')?.length).toBeGreaterThan(10);
    const shared = [...things].filter(
      ([, [first, ...others]]) =>
        !sameEverywhere.includes(first?.text) && others.some(({ about }) => about !== first?.about),
    );
    expect(shared.map(([text, found]) => [text, new Set(found.map(({ about }) => about))])).toEqual([]);
  });

  it('describes no field of a nested object as the field of that name around it', () => {
    const sameEverywhere = [...Object.values(recordFields), metadata].map(({ description }) => description);
    const repeated = [main, connector].flatMap((document) =>
      everyValueOf('properties', document).flatMap((fields) => {
        const around = new Map(Object.entries<{ description?: string }>(Object(fields)));
        return [...around].flatMap(([outer, field]) =>
          everyValueOf('properties', field)
            .flatMap((inner) => Object.entries<{ description?: string }>(Object(inner)))
            .filter(([name, { description }]) => description && description === around.get(name)?.description)
            .filter(([, { description }]) => !sameEverywhere.includes(description))
            .map(([name]) => `${outer}.${name}`),
        );
      }),
    );
    expect(repeated).toEqual([]);
  });

  it('has an example of every body', () => {
    for (const document of [main, connector])
      for (const content of everyValueOf('content', document))
        for (const media of Object.values(Object(content))) expect(media).toHaveProperty('example');
  });

  it('has what breaks no generator: one type beside null, names of its own for errors, and a tag of their own for webhooks', () => {
    for (const document of [main, connector]) {
      const unions = everyValueOf('anyOf', document).filter(Array.isArray);
      expect(unions.length).toBeGreaterThan(10);
      const ofOneType = unions.filter((union) => union.length === 2 && union[1].type === 'null' && !union[0].$ref);
      expect(ofOneType).toEqual([]);
      expect(document.components.schemas).not.toHaveProperty('Error');
    }
    const tags = everyValueOf('tags', main.paths).flat();
    for (const { post } of Object.values<{ post: { tags: string[] } }>(main.components.pathItems))
      for (const tag of post.tags) expect(tags).not.toContain(tag);
  });

  it('says once what the gateway returns, and in no operation', () => {
    for (const document of [main, connector]) {
      for (const status of [413, 414, 429, 431, 500, 503, 504])
        expect(document.info.description).toMatch(new RegExp(`\\b${status}\\b`));
      const statuses = everyValueOf('responses', document.paths).flatMap((all) => Object.keys(Object(all)));
      expect(statuses.filter((status) => ['414', '431', '504'].includes(status))).toEqual([]);
    }
  });

  it('gives every time and every choice that an operation takes its format and its values', () => {
    const found = { times: 0, choices: 0 };
    for (const operation of [...operations, ...connectorOperations]) {
      const document = operation.surface === 'connector' ? connector : main;
      const { parameters, requestBody } = document.paths[operation.path][operation.method.toLowerCase()];
      const inPathAndQuery = { ...operation.parameters?.shape, ...operation.query.shape };
      const documented = new Map<string, object>([
        ...parameters.map((one: { name: string; schema: object }) => [one.name, one.schema]),
        ...Object.entries(requestBody?.content['application/json'].schema.properties ?? {}),
      ]);
      for (const [name, field] of Object.entries({ ...inPathAndQuery, ...operation.body?.shape })) {
        const schema = documented.get(name);
        if (!schema) continue;
        const types = typesIn(field);
        const choice = types.find((type) => type instanceof z.ZodEnum);
        const isTime = types.some((type) => type instanceof z.ZodISODateTime);
        const where = `${operation.id}: ${name}`;
        if (isTime) expect(everyValueOf('format', schema), where).toContain('date-time');
        if (choice) expect(everyValueOf('enum', schema).flat(), where).toEqual(expect.arrayContaining(choice.options));
        found.times += Number(isTime);
        found.choices += Number(choice !== undefined);
      }
    }
    expect(found.times).toBeGreaterThan(50);
    expect(found.choices).toBeGreaterThan(30);
  });

  it('has one component for each form of error, and every error points to it', () => {
    const { schemas, responses } = main.components;
    expect(
      Object.keys(schemas)
        .filter((name) => name.endsWith('Error'))
        .sort(),
    ).toEqual(['ChangeError', 'RequestError']);
    const errors = everyValueOf('responses', main.paths).flatMap((all) => Object.entries(Object(all)));
    for (const [status, error] of errors)
      if (status !== '200')
        expect(error).toEqual({ $ref: expect.stringMatching(/^#\/components\/responses\/\w*Error\d+$/) });
    expect(Object.keys(responses)).toContain('ChangeError412');
  });

  it('describes a list as an array and a read as the record', () => {
    const { paths } = main;
    const schemaOf = (path: string) => paths[path].get.responses['200'].content['application/json'].schema;
    for (const { path, selectors = [] } of operations.filter(({ lists }) => lists)) {
      expect(schemaOf(path)).toEqual({ type: 'array', items: schemaOf(`${path}/{id}`) });
      expect(selectors).toContain('id');
    }
  });

  it('has a webhook for every type of event, with its example', () => {
    expect(Object.keys(main.webhooks)).toEqual(eventCatalogue.map(({ type }) => type));
    for (const { type, example } of eventCatalogue)
      expect(webhookOf(type).post.requestBody.content['application/json'].example).toEqual(example);
  });

  it('names the headers of requests and responses', () => {
    const { '/sales': sales } = main.paths;
    const references = (value: unknown) => everyValueOf('$ref', value);
    expect(references(sales.post.parameters)).toEqual(['#/components/parameters/IdempotencyKey']);
    expect(references(sales.patch.parameters)).toContain('#/components/parameters/IfMatch');
    expect(Object.keys(sales.get.responses['200'].headers)).toEqual(
      expect.arrayContaining(['Link', 'RateLimit-Limit']),
    );
    expect(Object.keys(sales.patch.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '412',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(Object.keys(main.components.responses.RequestError429.headers)).toContain('Retry-After');
  });

  it.each([
    { surface: 'the main API', documented: operations, document: main },
    { surface: 'the connector', documented: connectorOperations, document: connector },
  ])('describes every operation of $surface, and no other', ({ documented, document }) => {
    const described = Object.entries<Record<string, { operationId: string }>>(document.paths).flatMap(
      ([path, methods]) => Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
    );
    const contract = documented.map(({ path, method, id }) => ({
      path,
      method: method.toLowerCase(),
      operationId: id,
    }));
    const inOrder = (one: { operationId: string }, other: { operationId: string }) =>
      one.operationId.localeCompare(other.operationId);
    expect(described.sort(inOrder)).toEqual(contract.sort(inOrder));
  });

  it('points to nothing that it does not have', () => {
    for (const document of [main, connector])
      for (const reference of everyValueOf('$ref', document)) {
        const found = String(reference)
          .split('/')
          .slice(1)
          .reduce<unknown>((value, key) => (value instanceof Object ? Reflect.get(value, key) : undefined), document);
        expect(found, String(reference)).toBeDefined();
      }
  });
});
