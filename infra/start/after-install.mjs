import { readdirSync, rmSync } from 'node:fs';

// Runs after `npm ci`, by whatever Node is there: of the Node 24 package only the program is used, and its C++ headers have 67 MB.
const modules = new URL('../../node_modules/', import.meta.url);
for (const name of readdirSync(modules).filter((folder) => folder.startsWith('node-linux-')))
  for (const unused of ['include', 'share'])
    rmSync(new URL(`${name}/${unused}`, modules), { recursive: true, force: true });
