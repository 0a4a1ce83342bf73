import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { lastSections, sectionGroups } from '../../shared/web/components/sections.ts';

/** What comments and pages refer to must be in the repository, where a reader can open it. */

const code = globSync('{shared,functions,events,infra,test}/**/*.{ts,tsx,mjs}');
const guides = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md')];

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)/.test(line);
const commentsOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').filter(isComment);

const anchorsByPage = new Map<string, Set<string>>();

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): Set<string> => {
  const known = anchorsByPage.get(page);
  if (known) return known;
  const text = readFileSync(page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const anchors = new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  );
  anchorsByPage.set(page, anchors);
  return anchors;
};

const isBroken = (page: string, anchor: string | undefined): boolean =>
  !existsSync(page) || (anchor !== undefined && page.endsWith('.md') && !anchorsOf(page).has(anchor));

it('every page and rule that a comment names is in the repository', () => {
  const named = code.flatMap((file) =>
    commentsOf(file).flatMap((line) =>
      [...line.matchAll(/([\w./-]+\.md)(?:#([\w-]+))?/g)].map(([link, page = '', anchor]) => ({
        file,
        link,
        page,
        anchor,
      })),
    ),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(
    named.filter(({ page, anchor }) => isBroken(page, anchor)).map(({ file, link }) => `${file}: ${link}`),
  ).toEqual([]);
});

it('every link of the README and the guides leads to a file and a heading of the repository', () => {
  const links = guides.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\(([^)\s#]*)(?:#([\w-]+))?\)/g)]
      .filter(([, path = '']) => !/^\w+:/.test(path))
      .map(([link, path = '', anchor]) => ({ file, link, page: path ? join(dirname(file), path) : file, anchor })),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(
    links.filter(({ page, anchor }) => isBroken(page, anchor)).map(({ file, link }) => `${file}: ${link}`),
  ).toEqual([]);
});

it('no comment cites a document that a reader cannot open', () => {
  const foreign =
    /\b(decisions?|architecture|house plan|vocabulary)(,| page| \d)|\bspecification(,|:|\.| of)|\bsection \d|\brule \d/i;
  const citing = code.flatMap((file) =>
    commentsOf(file)
      .filter((line) => foreign.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(citing).toEqual([]);
});

it('fewer than 5 % of the lines in shared/ are comments', () => {
  // The comments of these types are the documentation that editors show to users of the client.
  const exclude = ['options', 'pages', 'errors', 'response-info'].map((name) => `shared/client/${name}.ts`);
  const lines = globSync('shared/**/*.{ts,tsx}', { exclude }).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== ''),
  );
  expect(lines.length).toBeGreaterThan(1000);
  expect(lines.filter(isComment).length / lines.length).toBeLessThan(0.05);
});

it('every function and folder that the data model names is in the sources', () => {
  const sources = globSync('shared/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const cells = readFileSync('docs/data-model.md', 'utf8')
    .split('\n')
    .filter((line) => /^\|.*\|.*\|.*\|$/.test(line))
    .map((line) => line.split('|').at(-2) ?? '');
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const isKnown = (name: string): boolean => {
    if (name.includes('/')) return existsSync(name);
    const word = /^\w+/.exec(name)?.[0] ?? name;
    const definition = new RegExp(`\\bconst ${word}\\b|^ +${word}: `, 'm');
    return sources.some((source) => definition.test(source));
  };
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !isKnown(name))).toEqual([]);
});

it('the data model has every partition and every index', () => {
  const page = readFileSync('docs/data-model.md', 'utf8');
  const sources = globSync('shared/{domain,webhooks,http,platform}/**/*.ts').map((file) => ({
    file,
    text: readFileSync(file, 'utf8'),
  }));
  const partitions = sources.flatMap(({ text }) =>
    [...text.matchAll(/partition\(\w+, '([A-Z_]+)'(?:, '([A-Z_]+)')?/g)].map(([, kind, name]) =>
      ['P', kind, name].filter(Boolean).join('#'),
    ),
  );
  const indexes = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/export const (\w+) = (?:\([^)]*\) =>\s+\(?)?\{ index: 'GSI/g)].map(([, name = '']) => ({
      file,
      name,
    })),
  );
  expect(partitions.length).toBeGreaterThan(10);
  expect(partitions.filter((key) => !page.includes(key))).toEqual([]);
  // Keys that are no partition of a program. Where the sort key is fixed and no repetition, it tells items apart.
  const otherKeys = sources.flatMap(({ text }) =>
    [...text.matchAll(/pk: `([A-Z_]+(?:#[A-Z_]+)*)#\$\{[^`]*`, sk: (?:'([A-Z_]+)')?/g)].map(
      ([, start = '', sort = start]) => ({ start, sort }),
    ),
  );
  const hasRow = ({ start, sort }: (typeof otherKeys)[number]): boolean =>
    page
      .split('\n')
      .some((line) => line.includes(`\`pk = ${start}#`) && (sort === start || line.includes(`\`sk = ${sort}\``)));
  expect(otherKeys.length).toBeGreaterThan(8);
  expect(otherKeys.filter((key) => !hasRow(key))).toEqual([]);
  expect(indexes.length).toBeGreaterThan(20);
  expect(
    indexes
      .filter(({ file, name }) => !page.includes(`\`${name}\``) && !page.includes(`\`${file}\``))
      .map(({ file, name }) => `${file}: ${name}`),
  ).toEqual([]);
});

it('the page about the layers has the folders of the rules in their order', () => {
  const rules = readFileSync('.dependency-cruiser.mjs', 'utf8');
  const page = readFileSync('docs/decisions/layers.md', 'utf8').replaceAll('\n', ' ');
  const parents = [...rules.matchAll(/^ {2}'(shared\/[\w/-]+)': \[/gm)].map(([, parent]) => parent);
  expect(parents.length).toBeGreaterThan(2);
  for (const parent of parents) {
    const listed = new RegExp(`'${parent}': \\[([^\\]]*)\\]`).exec(rules)?.[1] ?? '';
    const described = new RegExp(`folders of \`${parent}/\`, lowest first: ([^.]*)\\.`).exec(page)?.[1] ?? '';
    const folders = [...listed.matchAll(/'([\w-]+)'/g)].map(([, folder]) => folder);
    expect(folders.length).toBeGreaterThan(2);
    expect([...described.matchAll(/`([\w-]+)`/g)].map(([, folder]) => folder)).toEqual(folders);
  }
});

it('every operator command of the runbook and the page about security is for a deployed stack', () => {
  const commands = ['docs/runbook.md', 'docs/security.md'].flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\badmin -- ([^`\n]+)/g)].map(([, command = '']) => command),
  );
  expect(commands.length).toBeGreaterThan(2);
  expect(commands.filter((command) => !command.startsWith('--stack '))).toEqual([]);
});

it('every way through the menu of the dashboard leads to a section, or to a page inside of one', () => {
  const inGroups = sectionGroups.flatMap(({ heading, sections }) =>
    sections.map(({ label }) => `${heading} > ${label}`),
  );
  const sections = [...sectionGroups.flatMap((group) => group.sections), ...lastSections].map(({ label }) => label);
  const pages = globSync('shared/web/pages/*.tsx').map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const ways = [...guides.map((file) => ({ file, text: readFileSync(file, 'utf8') })), ...pages].flatMap(
    ({ file, text }) =>
      [...text.replaceAll(/\s+/g, ' ').matchAll(/(?<!GitHub: )\b([A-Z]\w+) > ([A-Z]\w+)/g)].map(
        ([way, first = '', second = '']) => ({ file, way, first, second }),
      ),
  );
  const isTitle = (word: string): boolean => pages.some(({ text }) => text.includes(`'${word}'`));
  const leadsThere = ({ way, first, second }: (typeof ways)[number]): boolean =>
    inGroups.some((known) => known.startsWith(way)) || (sections.includes(first) && isTitle(second));
  expect(ways.length).toBeGreaterThan(5);
  expect(ways.filter((way) => !leadsThere(way)).map(({ file, way }) => `${file}: ${way}`)).toEqual([]);
});

it('the glossary has each word once, in the order of the alphabet', () => {
  const rows = readFileSync('docs/glossary.md', 'utf8').matchAll(/^\| (\w[\w -]*?) +\|/gm);
  const words = [...rows].map(([, word = '']) => word.toLowerCase()).slice(1);
  expect(words.length).toBeGreaterThan(40);
  expect(words).toEqual([...new Set(words)].sort());
});

it('the README leads to every page', () => {
  const readme = readFileSync('README.md', 'utf8');
  const pages = [...globSync('docs/**/*.md'), 'infra/local/README.md', 'CONTRIBUTING.md'];
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((page) => !readme.includes(`](${page})`))).toEqual([]);
});

it('the README has at most 130 lines', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});
