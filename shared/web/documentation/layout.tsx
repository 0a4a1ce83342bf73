import type { ComponentChildren, VNode } from 'preact';
import { favicon } from '../components/icons.tsx';
import { renderDocument } from '../components/render.ts';
import { fileNames } from './files.at-build.ts';
import { guideGroups } from './guides.ts';

export const fileUrl = (name: keyof typeof fileNames): string => `/docs/files/${fileNames[name]}`;

/** The same content as the reference, without JavaScript. */
export const plainReference = '/api/v1/docs';

const Search = ({ query = '' }: { query?: string | undefined }) => (
  <form class="search" action="/docs/search" data-index={fileUrl('search')}>
    <label for="search" class="hidden">
      Search the documentation
    </label>
    <input id="search" name="q" type="search" value={query} placeholder="Search" autocomplete="off" maxLength={200} />
  </form>
);

const Navigation = ({ current }: { current: string }) => {
  const entry = (path: string, label: string) => (
    <li key={path}>
      <a href={path} aria-current={path === current ? 'page' : undefined}>
        {label}
      </a>
    </li>
  );
  return (
    <nav id="menu" class="menu" popover="auto" aria-label="Documentation">
      {guideGroups.map(({ label, guides }) => (
        <div key={label}>
          <p>{label}</p>
          <ul>
            {label === 'Reference' && entry('/docs', 'API reference')}
            {guides.map((guide) => entry(`/docs/${guide.slug}`, guide.label))}
          </ul>
        </div>
      ))}
    </nav>
  );
};

interface DocumentationPage {
  title: string;
  path: string;
  query?: string;
  /** The reference brings a menu of its own. */
  kind?: 'reference' | 'guide';
  scripts?: readonly string[];
  children: ComponentChildren;
}

export const documentationPage = ({
  title,
  path,
  query,
  kind = 'guide',
  scripts = [],
  children,
}: DocumentationPage): string =>
  renderDocument(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Affiliate program API`}</title>
        <link rel="icon" href={favicon} />
        <link rel="stylesheet" href={fileUrl('style')} />
        {[fileUrl('pages'), ...scripts].map((source) => (
          <script key={source} src={source} defer />
        ))}
      </head>
      <body class={kind}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="bar">
          <button type="button" class="open-menu" popovertarget="menu">
            Menu
          </button>
          <a class="brand" href="/docs/tour">
            Affiliate program API
          </a>
          <Search query={query} />
          <a class="to-app" href="/">
            Dashboard
          </a>
        </header>
        <Navigation current={path} />
        {children}
      </body>
    </html>,
  );

export const Main = ({ children }: { children: ComponentChildren }): VNode => (
  <main id="main" tabIndex={-1}>
    {children}
  </main>
);
