import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AccessToken, hashOfToken, isTokenShaped } from '../../../shared/domain/access/token.ts';
import { uuid } from '../../../shared/domain/attribution/attribution.ts';

const key = '3f2b8c1e-7a4d-4e5f-9a6b-0c1d2e3f4a5b';
const malformed = [
  '',
  `x${key}`,
  `${key}x`,
  ` ${key}`,
  key.toUpperCase(),
  key.replaceAll('-', ''),
  key.replace('3f2b8c1e', '3f2b8c1'),
  key.replace('3f2b8c1e', 'gf2b8c1e'),
  key.replace('7a4d', '7a4'),
  key.replace('7a4d', '7a4g'),
  key.replace('4e5f', '4e5'),
  key.replace('4e5f', '4e5g'),
  key.replace('9a6b', '9a6'),
  key.replace('9a6b', '9a6g'),
  key.replace('0c1d2e3f4a5b', '0c1d2e3f4a5'),
  key.replace('0c1d2e3f4a5b', '0c1d2e3f4a5g'),
];

describe('a token', () => {
  it('has the shape of a random UUID, and nothing else has', () => {
    for (const token of [
      key,
      randomUUID(),
      ...['8', '9', 'a', 'b'].map((variant) => key.replace('9a6b', `${variant}a6b`)),
    ])
      expect([token, isTokenShaped(token)]).toEqual([token, true]);
    for (const token of [...malformed, key.replace('4e5f', '7e5f'), key.replace('9a6b', 'ca6b')])
      expect([token, isTokenShaped(token)]).toEqual([token, false]);
  });

  it('is looked up by its hash', () => {
    expect(hashOfToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('is read as it was stored, one from before connectors, shared limits, time zones and review too', () => {
    const stored = {
      programId: 'p',
      keyId: 'k',
      plan: 'FREE',
      programDeleted: false,
      currency: 'USD',
      commissionRate: 5,
    };
    expect(AccessToken.parse(stored)).toEqual({
      ...stored,
      kind: 'API',
      sharesLimit: false,
      timeZone: 'UTC',
      reviewsSales: false,
    });
    const terms = { timeZone: 'Asia/Tokyo', reviewsSales: true };
    const newer = { ...stored, ...terms, kind: 'CONNECTOR', plan: 'BUSINESS', sharesLimit: true };
    expect(AccessToken.parse(newer)).toEqual(newer);
    for (const wrong of [{ kind: 'WEB' }, { plan: 'PRO' }, { programId: 1 }, { programDeleted: undefined }])
      expect(AccessToken.safeParse({ ...stored, ...wrong }).success).toBe(false);
  });
});

describe('what names a referral or an affiliate', () => {
  it('is an id if it has the form of a UUID of any version, otherwise a slug', () => {
    for (const id of [key, '019a0000-0000-7000-8000-00000000dead']) expect([id, uuid.test(id)]).toEqual([id, true]);
    for (const slug of [...malformed, 'summer-sale']) expect([slug, uuid.test(slug)]).toEqual([slug, false]);
  });
});
