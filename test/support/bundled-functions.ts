import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundle = "import { bundleFunctions } from './infra/bundle.ts'; await bundleFunctions();";

/** Bundles the functions once for all test files of the project `template`, unless that was done for these sources before. */
export default async function setup(): Promise<void> {
  // In a process of its own: bundling runs modules, which vitest would transform.
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', bundle], { cwd: root });
}
