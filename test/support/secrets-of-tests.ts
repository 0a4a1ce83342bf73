import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { secretsFile } from './log-check.ts';

const kept = new Set<string>();

/** Remembers texts that no function may write to its log: the end of the run looks for them. */
export const keepSecrets = (texts: readonly string[]): void => {
  const fresh = texts.filter((text) => text !== '' && !kept.has(text));
  if (fresh.length === 0) return;
  for (const text of fresh) kept.add(text);
  appendFileSync(join(inject('dataFolder'), secretsFile), `${fresh.join('\n')}\n`);
};

const secretFields = /"(?:secret|apiKey|access_token)":"([^"]+)"/g;

/** The secrets that a request and its response hold: tokens, cookies, and what a response says once or to few. */
export const secretsIn = (sent: Headers, received: Headers, text: string): string[] => [
  ...(sent.get('authorization')?.split(' ').slice(1) ?? []),
  ...(sent
    .get('cookie')
    ?.split('; ')
    .map((pair) => pair.slice(pair.indexOf('=') + 1)) ?? []),
  ...received.getSetCookie().map((cookie) => cookie.slice(cookie.indexOf('=') + 1).split(';')[0] ?? ''),
  ...[...text.matchAll(secretFields)].map(([, secret = '']) => secret),
];
