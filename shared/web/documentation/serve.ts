import { brotliDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import type { WebPage } from '../../contract/page.ts';
import { documentationPages } from '../../contract/pages/documentation.ts';
import { CacheableDocument } from '../../http/cacheable-document.ts';
import { addressPlaceholder } from '../../http/openapi/documents.at-build.ts';
import { parseFields } from '../../http/parsing.ts';
import { type HttpEvent, type HttpResponse, methodOf, pipeline, type RequestState } from '../../http/pipeline.ts';
import { publicUrl } from '../../http/respond.ts';
import { findMethod, routePathOf, serve } from '../../http/route.ts';
import { entriesOf } from '../forms/form-fields.ts';
import { type DocumentationFile, fileNames, files } from './files.at-build.ts';
import { guideSlugs, isGuideSlug } from './guides.ts';
import { guidePage, problemPage, referencePage, searchPage } from './pages.tsx';
import { type SearchEntry, searchIn } from './search.ts';

type Event = HttpEvent<RequestState>;
type Handler = (event: Event) => HttpResponse;

/** The empty style element that Redoc fills by script, and the style of its scroll bars. */
const redocStyles = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
];

const headersWith = (styles: readonly string[]): Record<string, string> => {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'strict-transport-security': 'max-age=63072000',
  };
};

const documentOf = (html: string, styles: readonly string[] = []): CacheableDocument =>
  new CacheableDocument(html.replaceAll(addressPlaceholder, publicUrl('/').origin), headersWith(styles));

const textOf = ({ brotli }: DocumentationFile): string =>
  brotliDecompressSync(Buffer.from(brotli, 'base64')).toString('utf8');

const remembered = <Value>(make: (key: string) => Value): ((key: string) => Value) => {
  const known = new Map<string, Value>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
};

const page = remembered((slug) => documentOf(isGuideSlug(slug) ? guidePage(slug) : ''));
const reference = remembered(() => documentOf(referencePage(), redocStyles));
const file = remembered((name) => {
  const found = files[name];
  if (!found) throw new Error(`There is no file ${name}`);
  const { 'content-security-policy': _ofPages, ...headers } = headersWith([]);
  const { type, brotli } = found;
  return new CacheableDocument(textOf(found), { ...headers, 'content-type': type }, { brotli, isImmutable: true });
});
const search = remembered(() => {
  const found = files[fileNames.search];
  const Entries: z.ZodType<SearchEntry[]> = z.array(z.custom<SearchEntry>());
  return searchIn(found ? Entries.parse(JSON.parse(textOf(found))) : []);
});

const notFound = (): ApiError => new ApiError('path_not_found', 'The documentation has no such page.');

const handlers: Record<(typeof documentationPages)[number]['id'], Handler> = {
  showReference: ({ headers }) => reference('').respond(headers),
  showGuide: ({ headers, pathParameters }) => {
    const slug = guideSlugs.find((known) => known === pathParameters?.guide);
    if (!slug) throw notFound();
    return page(slug).respond(headers);
  },
  searchDocumentation: ({ headers, rawQueryString }) => {
    const [, , { query: schema }] = documentationPages;
    const { q } = parseFields(schema, entriesOf(rawQueryString));
    const query = q.trim();
    return documentOf(searchPage(query, query ? search('')(query) : [])).respond(headers);
  },
  readDocumentationFile: ({ headers, pathParameters }) => {
    const name = pathParameters?.file ?? '';
    if (!Object.hasOwn(files, name)) throw notFound();
    return file(name).respond(headers);
  },
};

const served = serve<WebPage, Handler>(documentationPages, handlers);

/** The Lambda of the documentation: pages made at deployment, the same for everybody. */
export const documentation = pipeline<RequestState>({
  begin: (request) => request,
  checks: [],
  handle: async (event) => {
    const here = served.filter(({ declared }) => declared.path === routePathOf(event));
    return findMethod(here, methodOf(event), () => 'The documentation can only be read').handle(event);
  },
  respondToError: ({ status, message, headers = {} }) => ({
    statusCode: status,
    headers: { ...headersWith([]), 'cache-control': 'no-store', ...headers },
    body: problemPage(status === 404 ? 'Page not found' : 'Request failed', message),
  }),
});
