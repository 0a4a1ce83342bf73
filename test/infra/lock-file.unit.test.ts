import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockedPackage {
  version?: string;
  optionalDependencies?: Record<string, string>;
  inBundle?: boolean;
  hasInstallScript?: boolean;
  integrity?: string;
}

const file = new URL('../../package-lock.json', import.meta.url);
const packages: Record<string, LockedPackage> = JSON.parse(readFileSync(file, 'utf8')).packages;

it('locks Node 24 by its content, and the script of each package at its installation is allowed or refused by name', () => {
  for (const platform of ['linux-x64', 'linux-arm64'])
    expect(packages[`node_modules/node-${platform}`]).toMatchObject({ integrity: expect.stringMatching(/^sha512-/) });
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    path && hasInstallScript ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
  );
  expect([...new Set(scripted)].filter((name) => !Object.hasOwn(manifest.allowScripts, name))).toEqual([]);
  expect(Object.keys(manifest.allowScripts).filter((name) => manifest.allowScripts[name])).toEqual(['esbuild']);
  expect(scripted).not.toContain('node');
});

it('runs every tool by a name that is the same on every platform', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(scripts.lint).toBe('node infra/install-tools.ts && biome check .');
  expect(scripts.format).toBe('node infra/install-tools.ts && biome check --write .');
  expect(Object.values(scripts).filter((script) => /(linux|darwin|win32)-(x64|arm64)/.test(`${script}`))).toEqual([]);
  const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'linux-x64-musl', 'win32-x64'];
  const locked = platforms.map((platform) => packages[`node_modules/@biomejs/cli-${platform}`]?.version);
  expect(locked).toEqual(platforms.map(() => packages['node_modules/@biomejs/biome']?.version));
});

it('has an entry for every optional package, without which npm ci refuses to install anything', () => {
  // npm leaves out those that the registry at hand does not carry, which are packages for other platforms. They were
  // added with their name, version and platform alone: npm ci then skips them here and installs them where they fit.
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {}, inBundle }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !inBundle && !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});
