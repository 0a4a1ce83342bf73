import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bundleCommandLine } from '../../infra/client/build.ts';
import { freePort } from '../../infra/local/listen.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { makeProgram } from '../support/program.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';
import { commandLines, commandsNotRun, notRun, runnable } from './commands-not-run.ts';
import { commandBlocks, guides, readGuide, savedFiles, unmarkedCommands } from './guide-blocks.ts';
import { maxSeconds, type Outcome, runBlocks, scriptNames } from './guide-shell.ts';

/** Every command of the README and the guides is run, page by page, in one shell and a program of its own. */

const pages = guides
  .map((page) => ({ page, blocks: commandBlocks(readGuide(page)).map((block, at) => ({ ...block, at })) }))
  .filter(({ blocks }) => blocks.length > 0);

/** The types of a value and of what is in it. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
};

const commandLineFolder = mkdtempSync(join(tmpdir(), 'guide-command-line-'));
let receiver: ScriptedReceiver;
beforeAll(async () => {
  [receiver] = await Promise.all([startScriptedReceiver(), bundleCommandLine(commandLineFolder)]);
});
afterAll(() => {
  receiver.stop();
  rmSync(commandLineFolder, { recursive: true, force: true });
});

/** Runs blocks in a folder of their own. */
const runIn = async (
  blocks: readonly string[],
  apiKey: string,
  files: readonly { name: string; text: string }[] = [],
): Promise<Outcome[]> => {
  const path = mkdtempSync(join(tmpdir(), 'guide-'));
  const stack = { baseUrl: inject('baseUrl'), apiKey };
  try {
    const commandLine = join(commandLineFolder, 'cli.js');
    return await runBlocks(blocks, { path, dataFolder: inject('dataFolder'), stack, files, commandLine });
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
};

/** Runs a page's blocks, with the addresses, the port and the code of the page replaced by those of the running stack. */
const runPage = async (page: string, blocks: readonly string[]): Promise<Outcome[]> => {
  const program = await makeProgram({ baseUrls: ['https://shop.example/'] });
  const token = await connectorToken(program.programId, 'platform.example', new Date());
  const receiverPort = await freePort();
  const adapted = (text: string): string =>
    text
      .replaceAll('http://localhost:3000', new URL(inject('baseUrl')).origin)
      .replaceAll(/https:\/\/(?:hooks\.)?example\.com/g, new URL(receiver.url('/')).origin)
      .replaceAll(/\b4000\b/g, String(receiverPort))
      .replaceAll('owner@example.com', program.ownerEmail)
      .replaceAll('2b1f0f6e-4c55-4f0e-9d0b-3f6c1f0b7a11', token);
  const files = savedFiles(readGuide(page)).map(({ name, text }) => ({ name, text: adapted(text) }));
  return runIn(
    blocks.map((text) => adapted(runnable(text))),
    program.apiKey,
    files,
  );
};

describe.each(pages)('the commands of $page', ({ page, blocks }) => {
  let outcomes: readonly Outcome[];
  beforeAll(
    async () => {
      outcomes = await runPage(
        page,
        blocks.map(({ text }) => text),
      );
    },
    (maxSeconds + 10) * 1000,
  );

  it.each(blocks)('$name', ({ at, shown }) => {
    const { exitCode, output, problems } = outcomes[at] ?? { exitCode: undefined, output: '', problems: '' };
    expect({ exitCode, problems: exitCode === 0 ? '' : `${problems}${output}` }).toEqual({ exitCode: 0, problems: '' });
    if (shown?.language === 'text') expect(output.trim()).toBe(shown.text.trim());
    if (shown?.language === 'json') expect(shapeOf(JSON.parse(output))).toEqual(shapeOf(JSON.parse(shown.text)));
  });
});

it('a request that is refused fails its block, and the blocks after it are not run', async () => {
  const outcomes = await runIn(['true', `curl -s ${inject('baseUrl')}/program`, 'true'], 'none');
  expect(outcomes.map(({ exitCode, output }) => ({ exitCode, output }))).toEqual([
    { exitCode: 0, output: '' },
    { exitCode: 22, output: '{"error":"Unauthorized"}' },
    { exitCode: undefined, output: '' },
  ]);
});

it('the README and the guides have commands', () => {
  expect(pages.map(({ page }) => page)).toEqual(
    expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/tour.md', 'docs/webhooks.md', 'docs/operations.md']),
  );
});

it('no command hides in a block that is not marked as commands', () => {
  expect(guides.flatMap((page) => unmarkedCommands(readGuide(page)))).toEqual([]);
});

it('every command that is not run is in a guide', () => {
  const entries = pages.flatMap(({ blocks }) => blocks.flatMap(({ text }) => commandLines(text).map(notRun)));
  expect(commandsNotRun.filter((entry) => !entries.includes(entry)).map(({ command }) => command)).toEqual([]);
});

it('every script and file that a command of a guide names exists', () => {
  const text = guides.map(readGuide).join('\n');
  const named = [...text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, script = '']) => script);
  const files = [...text.matchAll(/\bnpx (?:node|vitest run) ([\w./-]+)/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((script) => !scriptNames.includes(script))).toEqual([]);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => file.endsWith('.ts') && file !== 'receiver.ts' && !existsSync(file))).toEqual([]);
});
