import {
  closeSync,
  constants,
  fchmodSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '../client.ts';
import type { Client } from '../surface.ts';

export interface Settings {
  baseUrl?: string;
  apiKey?: string;
  webhookSecret?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const settingsFile = ({ XDG_CONFIG_HOME, APPDATA }: Environment): string =>
  join(XDG_CONFIG_HOME || APPDATA || join(homedir(), '.config'), 'affiliate-program', 'settings.json');

/** Opens the file itself, never what a link in its place leads to. Windows has no such flag. */
const withFile = <Result>(file: string, flags: number, use: (descriptor: number) => Result): Result => {
  let descriptor: number;
  try {
    descriptor = openSync(file, flags | (constants.O_NOFOLLOW ?? 0), 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP')
      throw new TypeError(`${file} is a symbolic link. Delete it and log in again`);
    throw error;
  }
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

export const readSettings = (environment: Environment): Settings => {
  try {
    return JSON.parse(withFile(settingsFile(environment), constants.O_RDONLY, (open) => readFileSync(open, 'utf8')));
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return {};
  }
};

export const writeSettings = (environment: Environment, settings: Settings): string => {
  const file = settingsFile(environment);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  withFile(file, constants.O_WRONLY | constants.O_CREAT, (open) => {
    // A file that was there keeps its mode, so it is closed to others before anything is in it.
    fchmodSync(open, 0o600);
    ftruncateSync(open);
    writeFileSync(open, `${JSON.stringify(settings, null, 2)}\n`);
  });
  return file;
};

export const deleteSettings = (environment: Environment): void => rmSync(settingsFile(environment), { force: true });

/** Whether two addresses are the same, whatever their letter case of the host and their last slash. */
const isSameAddress = (one: string, other: string | undefined): boolean => {
  const [first, second] = [one, other ?? ''].map((address) => URL.parse(address)?.href.replace(/\/+$/, ''));
  return first !== undefined && first === second;
};

/**
 * Where the commands go: the environment, else what `login` keeps. Throws if neither says it, or if a kept key would go to
 * another address than it was kept for.
 */
export const clientOf = (environment: Environment): Client => {
  const settings = readSettings(environment);
  const { AFFILIATE_PROGRAM_KEY: givenKey, AFFILIATE_PROGRAM_URL: givenUrl } = environment;
  const apiKey = givenKey ?? settings.apiKey;
  const baseUrl = givenUrl ?? settings.baseUrl;
  if (givenUrl && !givenKey && settings.apiKey && !isSameAddress(givenUrl, settings.baseUrl))
    throw new TypeError(
      `The kept key is for ${settings.baseUrl}, not for ${givenUrl}. Set AFFILIATE_PROGRAM_KEY too, or log in there`,
    );
  if (!apiKey || !baseUrl)
    throw new TypeError('Run "affiliate-program login", or set AFFILIATE_PROGRAM_URL and AFFILIATE_PROGRAM_KEY');
  return createClient({ apiKey, baseUrl });
};
