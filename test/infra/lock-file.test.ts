import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
  inBundle?: boolean;
}

it('has an entry for every optional package, without which npm ci refuses to install anything', () => {
  // npm leaves out those that the registry at hand does not carry, which are packages for other platforms. They were
  // added with their name, version and platform alone: npm ci then skips them here and installs them where they fit.
  const file = new URL('../../package-lock.json', import.meta.url);
  const packages: Record<string, LockedPackage> = JSON.parse(readFileSync(file, 'utf8')).packages;
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {}, inBundle }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !inBundle && !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});
