import { createHash, randomBytes } from 'node:crypto';
import { getItem, putOnce } from '../../platform/table/items.ts';
import { addDays } from '../../platform/time/days.ts';

/** All that is kept of a visitor is a hash with the salt of a day, which nobody has two days later. docs/behavior.md#visitors */

const keptDays = 2;

const keyOf = (day: string) => ({ pk: `VISITOR_SALT#${day}`, sk: 'VISITOR_SALT' });

const readSalt = async (day: string): Promise<string> => {
  const key = keyOf(day);
  const known = await getItem('traffic', key);
  if (typeof known?.salt === 'string') return known.salt;
  const salt = randomBytes(32).toString('base64url');
  const ttl = Math.floor(Date.parse(addDays(day, keptDays)) / 1000);
  if (await putOnce('traffic', { ...key, salt, ttl })) return salt;
  return readSalt(day);
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

export const visitorOf = async (address: string, userAgent: string, now: Date): Promise<string> => {
  const salt = await saltOf(now.toISOString().slice(0, 10));
  return createHash('sha256').update(`${salt}\n${address}\n${userAgent}`).digest('base64url').slice(0, 22);
};
