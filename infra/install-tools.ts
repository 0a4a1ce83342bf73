import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };

// Installs devDependencies unless they are there. They are the tools of `npm run check` and the like: `npm start` and
// `npm test` need none of them, so `npm ci` leaves them out (.npmrc).

const root = fileURLToPath(new URL('..', import.meta.url));

/** An alias such as `npm:typescript@7.0.2` ends in its version too. */
const isInstalled = ([name, wanted]: [string, string]): boolean => {
  const file = join(root, 'node_modules', name, 'package.json');
  return existsSync(file) && wanted.endsWith(JSON.parse(readFileSync(file, 'utf8')).version);
};

if (!Object.entries(manifest.devDependencies).every(isInstalled)) {
  console.error('Installing the tools of devDependencies');
  const args = ['install', '--include=dev', '--no-save', '--ignore-scripts'];
  process.exitCode = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).status ?? 1;
}
