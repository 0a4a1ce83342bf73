import { createHash, randomBytes } from 'node:crypto';
import { quickItem, textOrSet } from '../../platform/table/quick-items.ts';
import { clientBlock } from '../access/source-address.ts';

/** All that is kept of a visitor is a hash with the salt of a day, which nobody has two days later. docs/behavior.md#visitors */

const keptSeconds = 2 * 24 * 60 * 60;

const keyOf = (day: string) => ({ pk: `VISITOR_SALT#${day}`, sk: 'VISITOR_SALT' });

const readSalt = async (day: string): Promise<string> => {
  const key = keyOf(day);
  const known = await quickItem('traffic', key);
  if (typeof known?.salt === 'string') return known.salt;
  const text = randomBytes(32).toString('base64url');
  return textOrSet('traffic', key, { name: 'salt', text, ttl: Date.parse(day) / 1000 + keptSeconds });
};

let remembered: { day: string; salt: Promise<string> } | undefined;

const saltOf = (day: string): Promise<string> => {
  if (remembered?.day === day) return remembered.salt;
  const salt = readSalt(day);
  remembered = { day, salt };
  salt.catch(() => {
    remembered = undefined;
  });
  return salt;
};

const hashOf = (salt: string, ...parts: readonly string[]): string =>
  createHash('sha256')
    .update([salt, ...parts].join('\n'))
    .digest('base64url')
    .slice(0, 22);

/** The hashes of a visitor, and of the source whose clicks are limited: its IPv4 address or IPv6 /64. */
export const visitorOf = async (
  address: string,
  userAgent: string,
  now: Date,
): Promise<{ visitor: string; source: string }> => {
  const salt = await saltOf(now.toISOString().slice(0, 10));
  return { visitor: hashOf(salt, address, userAgent), source: hashOf(salt, clientBlock(address)) };
};
