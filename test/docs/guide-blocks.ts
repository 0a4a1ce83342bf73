import { globSync, readFileSync } from 'node:fs';

/** The pages whose commands are run. */
export const guides: readonly string[] = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md').toSorted()];

/** A fenced block of shell commands. */
export interface CommandBlock {
  /** Its line in the page and its first command. */
  readonly name: string;
  readonly text: string;
  /** What the page shows as its output, in the block right after it. */
  readonly shown: { readonly language: string; readonly text: string } | undefined;
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm;
const shells: readonly string[] = ['sh', 'bash'];
const outputs: readonly string[] = ['json', 'text'];

const firstCommand = (text: string): string =>
  text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';

/** The command blocks of a page, in their order. */
export const commandBlocks = (markdown: string): CommandBlock[] => {
  const fences = [...markdown.matchAll(fence)];
  return fences.flatMap(({ 0: whole, 1: language = '', 2: text = '', index }, at) => {
    if (!shells.includes(language)) return [];
    const line = markdown.slice(0, index).split('\n').length;
    const next = fences[at + 1];
    const isNext = next && markdown.slice(index + whole.length, next.index).trim() === '';
    const shown =
      isNext && outputs.includes(next[1] ?? '') ? { language: next[1] ?? '', text: next[2] ?? '' } : undefined;
    return [{ name: `line ${line}: ${firstCommand(text)}`, text, shown }];
  });
};

/** Blocks with commands that no test runs, because their language does not say that they are commands. */
export const unmarkedCommands = (markdown: string): string[] =>
  [...markdown.matchAll(fence)].flatMap(([, language = '', text = '']) =>
    !shells.includes(language) && /^\$? ?(curl|npm|npx|node|aws) /m.test(text) ? [text] : [],
  );

/** The files that a page tells the reader to save: "Save this as `name`:" and a block. */
export const savedFiles = (markdown: string): { name: string; text: string }[] =>
  [...markdown.matchAll(/ave this as `([\w.]+)`[^\n]*:\n\n```\w+\n([\s\S]*?)^```$/gm)].map(
    ([, name = '', text = '']) => ({ name, text }),
  );

export const readGuide = (page: string): string => readFileSync(page, 'utf8');
