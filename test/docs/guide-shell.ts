import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** The names of the scripts of package.json. */
export const scriptNames: readonly string[] = Object.keys(scripts);

/** Beyond this, a command of a page hangs. */
export const maxSeconds = 240;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** `npm` and `npx` without their own start, which would take longer than what they run; `curl` that fails on a 4xx or 5xx. */
const shellFunctions = `
curl() { command curl --fail-with-body --max-time 30 "$@"; }
npx() {
  if [ "$1" = affiliate-program ]; then node "$COMMAND_LINE" "\${@:2}"; else "$ROOT/node_modules/.bin/$1" "\${@:2}"; fi
}
npm() {
  if [ "$1" = run ]; then shift; fi
  if [ "$1" = -s ]; then shift; fi
  local name=$1; shift
  if [ "\${1-}" = -- ]; then shift; fi
  case $name in
${Object.entries(scripts)
  .map(([name, script]) => {
    const options = name === 'admin' ? '--data "$DATA" "$@"' : '"$@"';
    return `    ${name}) (cd "$ROOT" && sh -c ${quoted(`${script} "$@"`)} npm ${options}) ;;`;
  })
  .join('\n')}
    *) echo "package.json has no script $name" >&2; return 1 ;;
  esac
}
refused() {
  local output
  if output=$("\${@:2}" 2>&1); then echo "not refused: $output" >&2; return 1; fi
  grep -q "$1" <<<"$output" || { echo "$output" >&2; return 1; }
}`;

export interface Outcome {
  /** Undefined if it was not reached. */
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly problems: string;
}

/** Where the commands of a page run. */
export interface GuideFolder {
  readonly path: string;
  /** The data folder of the running stack. */
  readonly dataFolder: string;
  /** What `.local/stack.json` says. */
  readonly stack: { readonly baseUrl: string; readonly apiKey: string };
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** The file of the command line `affiliate-program`. */
  readonly commandLine: string;
}

const prepare = ({ path, dataFolder, stack, files }: GuideFolder): void => {
  mkdirSync(join(path, '.local'), { recursive: true });
  writeFileSync(join(path, '.local/stack.json'), JSON.stringify(stack));
  copyFileSync(join(dataFolder, 'endpoints.json'), join(path, '.local/endpoints.json'));
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  for (const { name, text } of files) writeFileSync(join(path, name), text);
};

const environment = ({ path, dataFolder, commandLine }: GuideFolder) => ({
  PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
  HOME: process.env.HOME,
  ROOT: root,
  DATA: dataFolder,
  COMMAND_LINE: commandLine,
  XDG_CONFIG_HOME: join(path, 'config'),
  // Whoever runs the tests may have an AWS account.
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
});

/**
 * Runs blocks of commands in one shell, as a reader does from the top of a page to its end. Stops at the first command that
 * fails or after 90 seconds, and ends what runs in the background then.
 */
export const runBlocks = async (blocks: readonly string[], folder: GuideFolder): Promise<Outcome[]> => {
  prepare(folder);
  const file = (at: number | string, kind: string): string => join(folder.path, `${at}.${kind}`);
  const steps = blocks.map(
    (block, at) =>
      `at=${at}\nexec >${quoted(file(at, 'out'))} 2>${quoted(file(at, 'err'))}\n${block}\necho 0 >${quoted(file(at, 'code'))}\n`,
  );
  const script = [
    'set -euo pipefail',
    'trap \'code=$?; [ $code = 0 ] || echo $code >"$at.code"\' EXIT',
    shellFunctions,
    ...steps,
  ];
  writeFileSync(file('page', 'sh'), script.join('\n'));
  const shell = spawn('bash', [file('page', 'sh')], {
    cwd: folder.path,
    env: environment(folder),
    stdio: 'ignore',
    detached: true,
  });
  const limit = setTimeout(() => endGroup(shell.pid), maxSeconds * 1000);
  await once(shell, 'exit');
  clearTimeout(limit);
  endGroup(shell.pid);
  const read = (name: string): string => (existsSync(name) ? readFileSync(name, 'utf8') : '');
  return blocks.map((_, at) => {
    const code = read(file(at, 'code')).trim();
    return {
      exitCode: code === '' ? undefined : Number(code),
      output: read(file(at, 'out')),
      problems: read(file(at, 'err')),
    };
  });
};

/** Ends what a page left running in the background. */
const endGroup = (groupId: number | undefined): void => {
  try {
    if (groupId !== undefined) process.kill(-groupId, 'SIGKILL');
  } catch {
    // Nothing was left.
  }
};
