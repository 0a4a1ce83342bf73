import { createInterface } from 'node:readline/promises';
import { createClient } from '../client.ts';
import { deleteSettings, readSettings, settingsFile, writeSettings } from './settings.ts';

export interface LoginOptions {
  url?: string;
  key?: string;
}

const ask = async (question: string): Promise<string> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
};

/** Checks address and key with one request, and keeps them. What is not given comes from the environment; the key is asked for. */
export const login = async ({ url, key }: LoginOptions): Promise<void> => {
  const { AFFILIATE_PROGRAM_URL, AFFILIATE_PROGRAM_KEY } = process.env;
  const baseUrl = url ?? AFFILIATE_PROGRAM_URL;
  if (!baseUrl) throw new TypeError('Give --url, the address of the API, which ends in /api/v1');
  const apiKey = key ?? AFFILIATE_PROGRAM_KEY ?? (await ask('API key: '));
  const { name } = await createClient({ apiKey, baseUrl }).program.get();
  const file = writeSettings(process.env, { ...readSettings(process.env), baseUrl, apiKey });
  console.log(`Logged in to the program ${name}. The key is kept in ${file}`);
};

export const logout = (): void => {
  deleteSettings(process.env);
  console.log(`Deleted ${settingsFile(process.env)}`);
};
