import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/** The same as of the optional dependency, which `npm ci` installs on Linux with an x64 processor. */
export const binaryVersion = '1.2.1';

const program = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
const installedFolder = resolve('.build', 'embedded-dynamodb');

/**
 * Installs the package of a platform below `folder` unless it is there, and returns its program. npm compares what it downloads
 * with the checksum of the registry. Throws, and leaves nothing, where there is no such package.
 */
export const installBinary = (name: string, folder = installedFolder): string => {
  const target = join(folder, binaryVersion);
  const binary = join(target, 'node_modules', name, program);
  if (existsSync(binary)) return binary;
  console.error(`Installing the embedded DynamoDB for this machine (${name})`);
  mkdirSync(folder, { recursive: true });
  // Renamed when it is whole: another start may install it at the same time, or this one may be interrupted.
  const unfinished = mkdtempSync(join(folder, 'unfinished-'));
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', '--prefix', unfinished, ...options, `${name}@${binaryVersion}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    if (status === 0 && !existsSync(target)) renameSync(unfinished, target);
  } catch (error) {
    if (!existsSync(binary)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  if (existsSync(binary)) return binary;
  throw new Error(
    `There is no embedded DynamoDB for this machine: ${name}@${binaryVersion} could not be installed. Start DynamoDB Local ` +
      'yourself and set DYNAMODB_ENDPOINT to its address, for example http://127.0.0.1:8000.',
  );
};

/** The program of the embedded DynamoDB for this machine, installed where it is missing. */
export const findBinary = (): string => {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/${program}`);
  } catch {
    return installBinary(name);
  }
};
