import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { operations } from '../../contract/operations.ts';
import { guides } from './guides.at-build.ts';
import { guideSlugs, labelOf } from './guides.ts';
import type { SearchEntry } from './search.ts';

/** This module runs when the functions are bundled; the bundle holds its values. infra/bundle.ts */

export interface DocumentationFile {
  type: string;
  /** Compressed with brotli, as base64: ready to be a response. */
  brotli: string;
}

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const scriptOf = async (name: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileOf(name)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    legalComments: 'none',
  });
  return outputFiles[0]?.text ?? '';
};

const styleText = async (): Promise<string> => {
  const { outputFiles } = await build({ entryPoints: [fileOf('documentation.css')], minify: true, write: false });
  return outputFiles[0]?.text ?? '';
};

/** What the bundle of Redoc holds, and what stands in its place here. */
const replacedInRedoc = {
  // The one image that it would load from another host.
  'https://cdn.redoc.ly/redoc/logo-mini.svg': 'data:,',
  // The color of patterns, which no theme sets: hard to read on a dark page.
  '#0e7c86': 'light-dark(#0e7c86,#5fc4ce)',
};

const redocText = (): string => {
  const text = readFileSync(fileURLToPath(import.meta.resolve('redoc/bundles/redoc.standalone.js')), 'utf8');
  return Object.entries(replacedInRedoc)
    .reduce((changed, [from, to]) => {
      if (changed.split(from).length !== 2) throw new Error(`Redoc no longer has ${from} once; look what it has now`);
      return changed.replace(from, to);
    }, text)
    .replace(/\n\/\/# sourceMappingURL=.*/, '');
};

const entriesOfGuides = (): SearchEntry[] =>
  guideSlugs.flatMap((slug) =>
    (guides[slug]?.sections ?? []).map(({ anchor, heading, text }, at) => ({
      page: labelOf(slug),
      heading,
      url: at === 0 ? `/docs/${slug}` : `/docs/${slug}#${anchor}`,
      text,
    })),
  );

const entriesOfOperations = (): SearchEntry[] =>
  operations.map(({ id, method, path, summary, description = '' }) => ({
    page: 'API reference',
    heading: summary,
    url: `/docs#operation/${id}`,
    plainUrl: `/api/v1/docs#${id}`,
    text: `${method} ${path} ${description}`.replaceAll('`', ''),
  }));

/** Of 11: the highest takes 2 s for Redoc, which every first start waits for, and saves 8 % of its size. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const file = (type: string, text: string): DocumentationFile => ({
  type: `${type}; charset=utf-8`,
  brotli: brotliCompressSync(text, quality).toString('base64'),
});

const named = (name: string, extension: string, text: string): string =>
  `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.${extension}`;

const script = 'text/javascript';
const made = {
  style: ['css', 'text/css', await styleText()],
  pages: ['js', script, await scriptOf('pages.client.ts')],
  reference: ['js', script, await scriptOf('reference.client.ts')],
  redoc: ['js', script, redocText()],
  search: ['json', 'application/json', JSON.stringify([...entriesOfGuides(), ...entriesOfOperations()])],
} as const;

type FileName = keyof typeof made;

const nameOf = (name: FileName): string => named(name, made[name][0], made[name][2]);

/** The name that each file is served under: it changes with the content. */
export const fileNames: Record<FileName, string> = {
  style: nameOf('style'),
  pages: nameOf('pages'),
  reference: nameOf('reference'),
  redoc: nameOf('redoc'),
  search: nameOf('search'),
};

export const files: Record<string, DocumentationFile> = Object.fromEntries(
  Object.entries(made).map(([name, [extension, type, text]]) => [named(name, extension, text), file(type, text)]),
);
