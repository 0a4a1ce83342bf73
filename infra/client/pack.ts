import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClient } from './build.ts';

/** `npm run client:pack`: makes the package and its tarball in `.build/client`. */

const target = fileURLToPath(new URL('../../.build/client/', import.meta.url));
const folder = join(target, 'package');
await buildClient(folder);
execFileSync('npm', ['pack', '--pack-destination', target, '--loglevel', 'error'], { cwd: folder, stdio: 'inherit' });
