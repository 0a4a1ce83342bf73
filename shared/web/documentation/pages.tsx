import { guides } from './guides.at-build.ts';
import { type GuideSlug, guideSlugs, labelOf } from './guides.ts';
import { documentationPage, fileUrl, Main, plainReference } from './layout.tsx';
import type { RenderedGuide } from './markdown.ts';
import type { SearchResult } from './search.ts';

const Contents = ({ headings }: Pick<RenderedGuide, 'headings'>) => {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return null;
  return (
    <details class="contents" open>
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <ul>
          {shown.map(({ anchor, text }) => (
            <li key={anchor}>
              <a href={`#${anchor}`}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
};

const Neighbors = ({ slug }: { slug: GuideSlug }) => {
  const at = guideSlugs.indexOf(slug);
  const [before, after] = [guideSlugs[at - 1], guideSlugs[at + 1]];
  return (
    <nav class="neighbors" aria-label="Previous and next guide">
      {before && <a href={`/docs/${before}`}>{`← ${labelOf(before)}`}</a>}
      {after && <a href={`/docs/${after}`}>{`${labelOf(after)} →`}</a>}
    </nav>
  );
};

export const guidePage = (slug: GuideSlug): string => {
  const { title = '', html = '', headings = [] } = guides[slug] ?? {};
  return documentationPage({
    title,
    path: `/docs/${slug}`,
    children: (
      <>
        <Contents headings={headings} />
        <Main>
          <article dangerouslySetInnerHTML={{ __html: html }} />
          <Neighbors slug={slug} />
        </Main>
      </>
    ),
  });
};

export const referencePage = (): string =>
  documentationPage({
    title: 'API reference',
    path: '/docs',
    kind: 'reference',
    scripts: [fileUrl('redoc'), fileUrl('reference')],
    children: (
      <Main>
        <p class="note">
          Every operation, field and webhook of the main API. Also as a <a href={plainReference}>plain page</a> and as{' '}
          <a href="/api/v1/openapi.json">OpenAPI 3.1</a>.
        </p>
        <noscript>
          <p class="note">
            This page needs JavaScript. The <a href={plainReference}>plain page</a> has the same content without it.
          </p>
        </noscript>
        <div id="reference" data-openapi="/api/v1/openapi.json" />
      </Main>
    ),
  });

export const searchPage = (query: string, results: readonly SearchResult[]): string =>
  documentationPage({
    title: 'Search',
    path: '/docs/search',
    query,
    children: (
      <Main>
        <h1>Search</h1>
        <p>{query === '' ? 'Enter a word above.' : `${results.length} results for “${query}”`}</p>
        <ul class="found">
          {results.map(({ page, heading, url, plainUrl = url, excerpt }) => (
            <li key={url}>
              <a href={plainUrl}>
                <strong>{heading}</strong> <span>{page}</span>
              </a>
              <p>{excerpt}</p>
            </li>
          ))}
        </ul>
      </Main>
    ),
  });

export const problemPage = (title: string, message: string): string =>
  documentationPage({
    title,
    path: '',
    children: (
      <Main>
        <h1>{title}</h1>
        <p>{message}</p>
        <p>
          <a href="/docs/tour">To the documentation</a>
        </p>
      </Main>
    ),
  });
