import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { apiBasePath } from '../../shared/contract/base-paths.ts';
import { operations } from '../../shared/contract/operations.ts';
import { documentationPage } from '../../shared/web/documentation/page.tsx';
import { type ResponseBody, request } from '../support/program.ts';

let response: ResponseBody;
beforeAll(async () => {
  response = await request('GET', '/docs');
});

const sectionOf = (id: string): string => response.text.split(`<section id="${id}">`)[1]?.split('</section>')[0] ?? '';

describe('GET /docs', () => {
  it('is a page that needs no key', () => {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.text).toMatch(/^<!doctype html>/);
    expect(response.text).toContain('name="viewport"');
  });

  it('may run nothing, load nothing from outside and be framed by nobody', () => {
    const policy = response.headers.get('content-security-policy') ?? '';
    const style = /<style>(.*?)<\/style>/s.exec(response.text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.text).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|\sstyle=|url\(|@import/i);
  });

  it.each(operations)('says how to call $id', ({ id, method, path, parameters, query, body, errors, example }) => {
    const section = sectionOf(id);
    expect(response.text).toContain(`href="#${id}"`);
    expect(section).toContain(`<span class="method">${method}</span> ${apiBasePath}${path}`);
    const inPath = Object.keys(parameters?.shape ?? {});
    for (const name of [...inPath, ...Object.keys(query.shape), ...Object.keys(body?.shape ?? {})])
      expect(section).toContain(`<code>${name}</code>`);
    if (errors.length > 0) expect(section).toContain('<summary>Errors</summary>');
    const filled = path.replace('{id}', example.parameters?.id ?? '');
    expect(section).toContain(`$HOST${apiBasePath}${filled}`);
    for (const name of Object.keys(example.body ?? {})) expect(section).toContain(`&quot;${name}&quot;`);
  });

  it('says what every record has, once', () => {
    for (const { tag, response: schema } of operations.filter(({ lists }) => lists)) {
      const resource = sectionOf(tag.toLowerCase().replaceAll(' ', '-'));
      const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
      expect(names.length).toBeGreaterThan(4);
      for (const name of names) expect(resource).toContain(`<code>${name}</code>`);
    }
    expect(sectionOf('createPromotionalCode')).toContain('<code>codeStructure.firstName</code>');
  });

  it('shows every text as the text that it is', () => {
    const hostile = '<script>alert("1")</script>';
    const [operation] = operations;
    if (!operation) throw new Error('There are no operations');
    const { text } = documentationPage(
      [
        {
          ...operation,
          tag: hostile,
          summary: hostile,
          description: `Like \`${hostile}\` or ${hostile}`,
          query: z.strictObject({ [hostile]: z.string().describe(hostile) }),
          example: { query: { q: hostile }, body: { name: `${hostile}'` } },
        },
      ],
      apiBasePath,
    );
    expect(text).not.toContain('<script');
    expect(text).toContain('<code>&lt;script>alert(&quot;1&quot;)&lt;/script></code>');
  });

  it('is named where a path is not there', async () => {
    const { error } = (await request('GET', '/')).body;
    const named = [...error.matchAll(/GET (\S+?)\.?(?=\s|$)/g)].map(([, path]) => path);
    expect(named).toEqual([`${apiBasePath}/docs`, `${apiBasePath}/openapi.json`]);
    for (const path of named) expect((await request('GET', path.slice(apiBasePath.length))).status).toBe(200);
  });
});
