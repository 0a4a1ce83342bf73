import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { binaryVersion, findBinary, installBinary } from '../../infra/local/tables/embedded-binary.ts';
import manifest from '../../package.json' with { type: 'json' };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-binary-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the embedded DynamoDB', () => {
  it('has the version of the optional dependency', () => {
    expect(manifest.optionalDependencies['@dynoxide/linux-x64']).toBe(binaryVersion);
  });

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'is installed where it is missing, once, and is the program that npm ci installs',
    () => {
      const binary = installBinary('@dynoxide/linux-x64', folder);
      expect(readFileSync(binary).equals(readFileSync(findBinary()))).toBe(true);
      expect(spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout).toContain(binaryVersion);
      expect(installBinary('@dynoxide/linux-x64', folder)).toBe(binary);
      expect(readdirSync(folder)).toEqual([binaryVersion]);
    },
  );

  it('that is not there for a machine says what to do instead, and leaves nothing', () => {
    const empty = join(folder, 'empty');
    expect(() => installBinary('@dynoxide/no-such-machine', empty)).toThrow('DYNAMODB_ENDPOINT');
    expect(existsSync(join(empty, binaryVersion))).toBe(false);
    expect(readdirSync(empty)).toEqual([]);
  });
});
