import { describe, expect, it } from 'vitest';
import { routesOf } from '../../shared/contract/routes.ts';
import { loggedPath } from '../../shared/http/logged-path.ts';
import { guideSlugs } from '../../shared/web/documentation/guides.ts';

const paths = [...new Set(routesOf('automation').map(({ path }) => path))];

const id = '01a208c1-7a6c-75c5-9098-ab3f6e09273e';
/** A path with ids in the place of its parameters. */
const filled = (path: string): string => path.replaceAll(/\{[^}]+\}/g, id);

describe('the path of a log line', () => {
  it.each(paths)('%s is whole, with its ids', (path) => {
    const served = filled(path);
    expect(loggedPath(served)).toBe(served);
  });

  it('has the names of guides and the ids of sales', () => {
    for (const slug of guideSlugs) expect(loggedPath(`/docs/${slug}`)).toBe(`/docs/${slug}`);
    expect(loggedPath('/api/v1/sales/9007199254740991')).toBe('/api/v1/sales/9007199254740991');
  });
});

/** No part of it is in the id. */
const key = '431afa3a-a692-430b-b5f6-9d7b85dfad74';
const secrets = {
  'an API key': key,
  'an API key in upper case': key.toUpperCase(),
  'an API key without hyphens': key.replaceAll('-', ''),
  'an email': 'amara@example.com',
  'an email with a plus': 'amara+shop@example.co.uk',
  'a webhook secret': 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  'a token of a cookie': 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..48V1_ALb6US04U3b',
  'a key behind a word': `token=${key}`,
  'a key behind Bearer': `Bearer ${key}`,
  'an email behind a kind': 'email:amara@example.com',
};

/** In hexadecimal, so that letters and digits are encoded as well. */
const everyCharacter = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  encoded: encodeURIComponent,
  'encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'encoded to the last character': everyCharacter,
  'encoded in lower case': (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
};

/** Every place of every path: in place of a segment, before it, behind it, and as part of it. */
const placesIn = (path: string): ((secret: string) => string)[] => {
  const segments = filled(path).split('/').slice(1);
  return segments.flatMap((segment, at) =>
    [
      (secret: string) => secret,
      (secret: string) => `${secret}/${segment}`,
      (secret: string) => `${segment}/${secret}`,
      (secret: string) => `${segment};${secret}`,
      (secret: string) => `${secret}.json`,
      (secret: string) => `${segment}-${secret}`,
    ].map(
      (place) =>
        (secret: string): string =>
          `/${segments.with(at, place(secret)).join('/')}`,
    ),
  );
};

const partsOf = (text: string): string[] =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part.length >= 4 && part !== 'email' && part !== 'token' && part !== 'Bearer');

describe.each(Object.entries(secrets))('%s in a path', (_, secret) => {
  it.each(Object.entries(encodings))('is not logged, %s, in any place of any path', (_name, encode) => {
    const sent = encode(secret);
    for (const path of paths)
      for (const place of placesIn(path)) {
        const logged = loggedPath(place(sent));
        for (const part of [...partsOf(secret), ...partsOf(sent)])
          if (logged.includes(part)) expect.fail(`${place(sent)} is logged as ${logged}`);
      }
  });
});
