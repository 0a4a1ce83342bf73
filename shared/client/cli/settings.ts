import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

export const readSettings = (environment: Environment): Settings => {
  try {
    return JSON.parse(readFileSync(settingsFile(environment), 'utf8'));
  } catch {
    return {};
  }
};

export const writeSettings = (environment: Environment, settings: Settings): string => {
  const file = settingsFile(environment);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  // The mode above is of a new file.
  chmodSync(file, 0o600);
  return file;
};

export const deleteSettings = (environment: Environment): void => rmSync(settingsFile(environment), { force: true });

/** Where the commands go: the environment, else what `login` keeps. Throws if neither says it. */
export const clientOf = (environment: Environment): Client => {
  const settings = readSettings(environment);
  const apiKey = environment.AFFILIATE_PROGRAM_KEY ?? settings.apiKey;
  const baseUrl = environment.AFFILIATE_PROGRAM_URL ?? settings.baseUrl;
  if (!apiKey || !baseUrl)
    throw new TypeError('Run "affiliate-program login", or set AFFILIATE_PROGRAM_URL and AFFILIATE_PROGRAM_KEY');
  return createClient({ apiKey, baseUrl });
};
