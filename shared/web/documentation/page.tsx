import { createHash } from 'node:crypto';
import type { ComponentChildren, VNode } from 'preact';
import type * as z from 'zod';
import { type ErrorCode, errorCatalogue } from '../../contract/errors.ts';
import { type Operation, rateClassOf } from '../../contract/operation.ts';
import { renderDocument } from '../components/render.ts';
import { type Field, fieldsOf } from './fields.ts';
import { style } from './style.ts';

const anchorOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

/** Text between backticks is code. */
const prose = (text: string): ComponentChildren =>
  text.split('`').map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part));

const FieldTable = ({ fields, saysRequired }: { fields: readonly Field[]; saysRequired: boolean }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  <div class="table" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th>Field</th>
          <th>Type</th>
          <th>Description</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, type, isRequired, description }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
              {saysRequired && isRequired ? ' required' : ''}
            </td>
            <td>{type}</td>
            <td>{prose(description)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Details = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <details open>
    <summary>{title}</summary>
    {children}
  </details>
);

interface FieldsProps {
  title: string;
  schema: z.ZodType | undefined;
  io: 'input' | 'output';
}

const Fields = ({ title, schema, io }: FieldsProps) => {
  const fields = schema ? fieldsOf(schema, io) : [];
  if (fields.length === 0) return null;
  return (
    <Details title={title}>
      <FieldTable fields={fields} saysRequired={io === 'input'} />
    </Details>
  );
};

const Errors = ({ codes }: { codes: readonly ErrorCode[] }) => (
  <ul>
    {codes.map((code) => (
      <li key={code}>
        <code>{errorCatalogue[code].status}</code> {errorCatalogue[code].message}
      </li>
    ))}
  </ul>
);

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const curlOf = ({ method, path, auth, example }: Operation, basePath: string): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => example.parameters?.[name] ?? '');
  const query = example.query ? `?${new URLSearchParams(example.query)}` : '';
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$HOST${basePath}${filled}${query}"`,
    ...(auth === 'key' ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(example.body ? ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example.body))}`] : []),
  ].join(' \\\n  ');
};

const errorCodesOf = ({ errors, body }: Operation): ErrorCode[] => [
  ...new Set([...(body ? (['bad_request'] as const) : []), ...errors]),
];

interface OperationProps {
  operation: Operation;
  /** The record of the operation's resource, described once above. */
  record: z.ZodType | undefined;
  basePath: string;
}

const OperationSection = ({ operation, record, basePath }: OperationProps) => {
  const { id, method, path, summary, description, parameters, query, body, response, lists, auth } = operation;
  const errorCodes = errorCodesOf(operation);
  return (
    <section id={id}>
      <h3>{summary}</h3>
      <p>
        <code>
          <span class="method">{method}</span> {`${basePath}${path}`}
        </code>
        {`, counted as a ${rateClassOf(operation)}${auth === 'none' ? ', open to everybody' : ''}`}
      </p>
      {description && <p>{prose(description)}</p>}
      <Fields title="Path" schema={parameters} io="input" />
      <Fields title="Query" schema={query} io="input" />
      <Fields title="Body" schema={body} io="input" />
      {response === record ? (
        <p>{lists ? 'Returns an array of records.' : 'Returns the record.'}</p>
      ) : (
        <Fields title="Response" schema={response} io="output" />
      )}
      {errorCodes.length > 0 && (
        <Details title="Errors">
          <Errors codes={errorCodes} />
        </Details>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{curlOf(operation, basePath)}</code>
      </pre>
    </section>
  );
};

interface ResourceProps {
  tag: string;
  operations: readonly Operation[];
  basePath: string;
}

const ResourceSection = ({ tag, operations, basePath }: ResourceProps) => {
  const record = operations.find(({ lists }) => lists)?.response;
  return (
    <section id={anchorOf(tag)}>
      <h2>{tag}</h2>
      <Fields title="The record" schema={record} io="output" />
      {operations.map((operation) => (
        <OperationSection key={operation.id} operation={operation} record={record} basePath={basePath} />
      ))}
    </section>
  );
};

const Introduction = ({ basePath }: { basePath: string }) => (
  <header>
    <h1>Affiliate program API</h1>
    <p>
      Below <code>{basePath}</code>, with <code>Authorization: Bearer</code> and an API key of the program. Success is
      always 200 with JSON. For machines: <a href={`${basePath}/openapi.json`}>openapi.json</a>. There are{' '}
      <a href="/docs/tour">guides</a>, too, and <a href="/docs">this reference with a menu</a>, which needs JavaScript.
    </p>
    <p>
      Lists are arrays, newest first, with the next page in the <code>Link</code> header. Errors of reads and creates
      are <code>{'{ "error": "…" }'}</code>, of changes and deletes <code>{'{ "error": 404, "message": "…" }'}</code>;{' '}
      <code>details</code> names each field that was wrong. Beside the errors of each operation, every operation that
      needs a key can return:
    </p>
    <Errors codes={['unauthorized', 'invalid_token', 'plan_without_access', 'program_not_found', 'rate_limited']} />
    <p>
      The examples expect the address of the API in <code>$HOST</code> and a key in <code>$KEY</code>. A{' '}
      <code>POST</code>, <code>PUT</code>, <code>PATCH</code> or <code>DELETE</code> may carry an{' '}
      <code>Idempotency-Key</code>: sent again, it does nothing twice. A change or a deletion may carry the{' '}
      <code>ETag</code> that was read as <code>If-Match</code>.
    </p>
  </header>
);

const Contents = ({ byTag }: { byTag: readonly [string, readonly Operation[]][] }) => (
  <nav aria-label="Operations">
    <ul>
      {byTag.map(([tag, operations]) => (
        <li key={tag}>
          <a href={`#${anchorOf(tag)}`}>{tag}</a>
          <ul>
            {operations.map(({ id, summary }) => (
              <li key={id}>
                <a href={`#${id}`}>{summary}</a>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  </nav>
);

const documentOf = (operations: readonly Operation[], basePath: string): VNode => {
  const byTag = [...Map.groupBy(operations, ({ tag }) => tag)];
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Affiliate program API</title>
        <style>{style}</style>
      </head>
      <body>
        <Introduction basePath={basePath} />
        <Contents byTag={byTag} />
        <main>
          {byTag.map(([tag, ofTag]) => (
            <ResourceSection key={tag} tag={tag} operations={ofTag} basePath={basePath} />
          ))}
        </main>
      </body>
    </html>
  );
};

interface HtmlPage {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Loads, runs and sends nothing and refuses framing; its one style element is allowed by its hash. */
export const documentationPage = (operations: readonly Operation[], basePath: string): HtmlPage => {
  const styleHash = createHash('sha256').update(style).digest('base64');
  return {
    text: renderDocument(documentOf(operations, basePath)),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    },
  };
};
