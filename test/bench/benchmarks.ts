import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { measureBackground } from './figures/background.ts';
import { measureBundles } from './figures/bundles.ts';
import { measureClicks } from './figures/clicks.ts';
import { stopDatabase } from './figures/database.ts';
import { measureOperations } from './figures/operations.ts';
import { programs, runProgram } from './figures/programs.ts';
import { measureSizes } from './figures/sizes.ts';
import { measureStack } from './figures/stack.ts';
import { measureStarts } from './figures/starts.ts';
import { type Figures, writePages } from './pages.ts';

// `npm run bench [-- part...]`: measures everything, or the parts named, and writes the figures to .build/benchmarks.json,
// docs/benchmarks.md and the cost of a month in docs/operations.md. Parts that are not named keep their last figures; `pages`
// writes the pages alone.

const parts: { [Part in keyof Figures]: () => Promise<NonNullable<Figures[Part]>> } = {
  operations: measureOperations,
  background: measureBackground,
  clicks: measureClicks,
  bundles: measureBundles,
  starts: measureStarts,
  sizes: () => measureSizes([100, 10_000, 200_000]),
  stack: measureStack,
  programs: async () => {
    const figures = [];
    for (const [, program] of programs) figures.push(await runProgram(program));
    return figures;
  },
};

const file = '.build/benchmarks.json';
const known: Figures = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const isPart = (name: string): name is keyof Figures => Object.hasOwn(parts, name);
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);

// The functions in this process log every request.
console.log = () => {};

for (const part of chosen) {
  if (part === 'pages') continue;
  if (!isPart(part)) throw new Error(`There is no part ${part}: choose of ${Object.keys(parts).join(', ')}`);
  console.error(`Measuring ${part}`);
  Object.assign(known, { [part]: await parts[part]?.() });
  mkdirSync('.build', { recursive: true });
  writeFileSync(file, JSON.stringify(known, null, 1));
}
await stopDatabase();
writePages(known);
