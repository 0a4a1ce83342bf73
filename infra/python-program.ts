import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const buildFolder = fileURLToPath(new URL('../.build', import.meta.url));

/** Shows errors alone. @returns whether it succeeded */
const run = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;

/** Where no package index can be reached, that is soon known. */
const briefly = ['--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '15'];

/**
 * A program of a Python package, in an environment of its own; undefined where there is no Python, or no package index.
 * @param requirement with its version, such as `cfn-lint==1.58.0`
 */
export const pythonProgram = (requirement: string, name: string): string | undefined => {
  const environment = join(buildFolder, requirement);
  const program = join(environment, 'bin', name);
  if (existsSync(program)) return program;
  const isInstalled =
    run('python3', '-m', 'venv', environment) &&
    run(join(environment, 'bin', 'pip'), 'install', ...briefly, requirement);
  if (isInstalled) return program;
  rmSync(environment, { recursive: true, force: true });
  return undefined;
};
