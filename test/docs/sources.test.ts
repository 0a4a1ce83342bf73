import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** What comments and pages refer to must be in the repository, where a reader can open it. */

const code = globSync('{shared,functions,events,infra,test}/**/*.{ts,tsx,mjs}');
const guides = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md')];

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)/.test(line);
const commentsOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').filter(isComment);

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): Set<string> => {
  const text = readFileSync(page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  );
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
  const lines = globSync('shared/**/*.{ts,tsx}').flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== ''),
  );
  expect(lines.length).toBeGreaterThan(1000);
  expect(lines.filter(isComment).length / lines.length).toBeLessThan(0.05);
});
