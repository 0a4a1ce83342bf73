import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { createClient } from '../client.ts';
import { deleteSettings, readSettings, settingsFile, writeSettings } from './settings.ts';

export interface LoginOptions {
  url?: string;
  key?: string;
}

/** Asks without an echo: what a terminal would repeat goes nowhere, also where standard error is kept in a log. */
const askSecretly = async (question: string): Promise<string> => {
  process.stderr.write(question);
  const output = new Writable({ write: (_text, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true });
  try {
    return (await lines.question('')).trim();
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
};

const apiPath = '/api/v1';

/** The address of the API itself. An application's address is tried without the key, which goes to no other address. */
const findApi = async (given: string): Promise<string> => {
  const address = given.replace(/\/+$/, '');
  if (address.endsWith(apiPath)) return address;
  if (!URL.canParse(address)) throw new TypeError(`${given} is not an address, such as https://example.com`);
  const candidates = [...new Set([address, new URL(address).origin])].map((one) => one + apiPath);
  for (const candidate of candidates) {
    const response = await fetch(`${candidate}/health`, { redirect: 'error' }).catch(() => undefined);
    if (response?.headers.get('content-type')?.includes('json')) return candidate;
  }
  throw new TypeError(`There is no API at ${candidates.join(' or ')}`);
};

/** Checks address and key with one request, and keeps them. What is not given comes from the environment; the key is asked for. */
export const login = async ({ url, key }: LoginOptions): Promise<void> => {
  const { AFFILIATE_PROGRAM_URL, AFFILIATE_PROGRAM_KEY } = process.env;
  const given = url ?? AFFILIATE_PROGRAM_URL;
  if (!given) throw new TypeError('Give --url, the address of the API');
  const baseUrl = await findApi(given);
  // The key of the environment belongs to its address, if it has one.
  const isOfEnvironment = !AFFILIATE_PROGRAM_URL || AFFILIATE_PROGRAM_URL === given;
  const apiKey = key ?? ((isOfEnvironment && AFFILIATE_PROGRAM_KEY) || (await askSecretly('API key: ')));
  const { name } = await createClient({ apiKey, baseUrl }).program.get();
  const file = writeSettings(process.env, { ...readSettings(process.env), baseUrl, apiKey });
  console.log(`Logged in to the program ${name}. The key is kept in ${file}`);
};

export const logout = (): void => {
  deleteSettings(process.env);
  console.log(`Deleted ${settingsFile(process.env)}`);
};
