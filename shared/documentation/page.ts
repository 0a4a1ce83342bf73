import { html, raw } from 'hono/html';
import type * as z from 'zod';
import { errorCatalogue } from '../contract/errors.ts';
import { type Operation, rateClassOf } from '../contract/operation.ts';
import { HtmlPage } from '../http/html-page.ts';
import { type Field, fieldsOf } from './fields.ts';
import { style } from './style.ts';

/** Generated from the operations; every text passes a template that escapes it. */

type Markup = ReturnType<typeof html>;

const anchorOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

const prose = (text: string): Markup[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

const fieldTable = (fields: readonly Field[], saysRequired: boolean): Markup =>
  html`<div class="table"><table><thead><tr><th>Field</th><th>Type</th><th>Description</th></tr></thead><tbody>${fields.map(
    ({ name, type, isRequired, description }) =>
      html`<tr><td><code>${name}</code>${saysRequired && isRequired ? ' required' : ''}</td><td>${type}</td><td>${prose(description)}</td></tr>`,
  )}</tbody></table></div>`;

const fieldSection = (title: string, schema: z.ZodType | undefined, io: 'input' | 'output'): Markup | '' => {
  const fields = schema ? fieldsOf(schema, io) : [];
  if (fields.length === 0) return '';
  return html`<details open><summary>${title}</summary>${fieldTable(fields, io === 'input')}</details>`;
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const curlOf = ({ method, path, auth, example }: Operation, basePath: string): string => {
  const query = example.query ? `?${new URLSearchParams(example.query)}` : '';
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$HOST${basePath}${path}${query}"`,
    ...(auth === 'key' ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(example.body ? ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example.body))}`] : []),
  ].join(' \\\n  ');
};

const errorsOf = ({ errors, body }: Operation): Markup => {
  const codes = [...new Set([...(body ? (['bad_request'] as const) : []), ...errors])];
  if (codes.length === 0) return html``;
  return html`<details open><summary>Errors</summary><ul>${codes.map((code) => {
    const { status, message } = errorCatalogue[code];
    return html`<li><code>${status}</code> ${message}</li>`;
  })}</ul></details>`;
};

const recordOf = (operations: readonly Operation[]): z.ZodType | undefined =>
  operations.find(({ lists }) => lists)?.response;

const operationSection = (operation: Operation, record: z.ZodType | undefined, basePath: string): Markup => {
  const { id, method, path, summary, description, query, body, response, lists } = operation;
  return html`<section id="${id}"><h3>${summary}</h3>
<p><code><span class="method">${method}</span> ${basePath}${path}</code>, counted as a ${rateClassOf(operation)}${operation.auth === 'none' ? ', open to everybody' : ''}</p>
${description ? html`<p>${prose(description)}</p>` : ''}
${fieldSection('Query', query, 'input')}${fieldSection('Body', body, 'input')}
${response === record ? html`<p>Returns ${lists ? 'the record, or an array of records' : 'the record'}.</p>` : fieldSection('Response', response, 'output')}
${errorsOf(operation)}
<pre><code>${curlOf(operation, basePath)}</code></pre></section>`;
};

const resourceSection = (tag: string, operations: readonly Operation[], basePath: string): Markup => {
  const record = recordOf(operations);
  return html`<section id="${anchorOf(tag)}"><h2>${tag}</h2>
${fieldSection('The record', record, 'output')}
${operations.map((operation) => operationSection(operation, record, basePath))}</section>`;
};

const introduction = (basePath: string): Markup => html`<h1>Affiliate program API</h1>
<p>Below <code>${basePath}</code>, with <code>Authorization: Bearer</code> and an API key of the program. Success is always 200 with JSON. For machines: <a href="${basePath}/openapi.json">openapi.json</a>.</p>
<p>Lists are arrays, newest first, with the next page in the <code>Link</code> header. Errors of reads and creates are
<code>{ "error": "…" }</code>, of changes and deletes <code>{ "error": 404, "message": "…" }</code>; <code>details</code> names each field that was wrong. Beside the errors of each operation, all that need a key can respond:</p>
<ul>${(['unauthorized', 'invalid_token', 'plan_without_access', 'program_not_found', 'rate_limited'] as const).map(
  (code) => html`<li><code>${errorCatalogue[code].status}</code> ${errorCatalogue[code].message}</li>`,
)}</ul>
<p>The examples expect the address of the API in <code>$HOST</code> and a key in <code>$KEY</code>. A <code>POST</code>, <code>PUT</code>, <code>PATCH</code> or <code>DELETE</code> may carry an <code>Idempotency-Key</code>: sent again, it does nothing twice. A change or a deletion may carry the <code>ETag</code> that was read as <code>If-Match</code>.</p>`;

export const documentationPage = (operations: readonly Operation[], basePath: string): HtmlPage => {
  const byTag = [...Map.groupBy(operations, ({ tag }) => tag)];
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Affiliate program API</title><style>${raw(style)}</style></head>
<body><header>${introduction(basePath)}</header>
<nav aria-label="Operations"><ul>${byTag.map(
    ([tag, ofTag]) =>
      html`<li><a href="#${anchorOf(tag)}">${tag}</a><ul>${ofTag.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>`)}</ul></li>`,
  )}</ul></nav>
<main>${byTag.map(([tag, ofTag]) => resourceSection(tag, ofTag, basePath))}</main></body></html>`;
  return new HtmlPage(String(page), style);
};
