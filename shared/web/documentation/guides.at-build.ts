import { readFileSync } from 'node:fs';
import { addressPlaceholder } from '../../http/openapi/documents.at-build.ts';
import { guideSlugs, isGuideSlug } from './guides.ts';
import { type RenderedGuide, renderGuide } from './markdown.ts';

/** This module runs when the functions are bundled; the bundle holds its values. infra/bundle.ts */

const folder = new URL('../../../docs/', import.meta.url);
/** In the guides' commands it stands for the address of the stack. */
const localAddress = 'http://localhost:3000';

const servedAddress = (href: string): string | undefined => {
  if (/^(https?:|#)/.test(href)) return href;
  const [, slug = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return isGuideSlug(slug) ? `/docs/${slug}${anchor}` : undefined;
};

const guideOf = (slug: string): RenderedGuide => {
  const markdown = readFileSync(new URL(`${slug}.md`, folder), 'utf8').replaceAll(localAddress, addressPlaceholder);
  return renderGuide(markdown, servedAddress);
};

export const guides: Record<string, RenderedGuide> = Object.fromEntries(
  guideSlugs.map((slug) => [slug, guideOf(slug)]),
);
