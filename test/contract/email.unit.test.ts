import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalEmail } from '../../shared/contract/email.ts';
import { email } from '../../shared/contract/fields.ts';

describe('an email address', () => {
  it.each([
    [' Amara@Example.COM\t', 'amara@example.com'],
    ["o'Neill+News/a=b@example.com", "o'neill+news/a=b@example.com"],
    ['amara@Bücher.example', 'amara@xn--bcher-kva.example'],
    ['amara@xn--bcher-kva.example', 'amara@xn--bcher-kva.example'],
    ['amara@例え.テスト', 'amara@xn--r8jz45g.xn--zckzah'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%j is kept as %j', (given, kept) => {
    expect(email.parse(given)).toBe(kept);
    expect(canonicalEmail(kept)).toBe(kept);
  });

  it.each([
    '',
    'amara',
    '@example.com',
    'amara@',
    'amara@example',
    'amara@@example.com',
    'a b@example.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    '"a b"@example.com',
    'zoë@example.com',
    'a@127.0.0.1',
    'a@[::1]',
    'a@0x7f.1',
    'a@example.com:80',
    'a@example.com/x',
    'a@ex%61mple.com',
    'a@exa mple.com',
    'a@-example.com',
    'a@example-.com',
    'a@example..com',
    'a@.example.com',
    'a\0@example.com',
    'a@exam\nple.com',
    `${'a'.repeat(65)}@example.com`,
    `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(10)}.com`,
  ])('%j is refused', (given) => {
    const result = email.safeParse(given);
    expect(result.success).toBe(false);
    expect(canonicalEmail(given)).toBeUndefined();
  });

  it('that looks like another one in another script is not the same', () => {
    // Lower-casing them as Unicode has it makes an ASCII k and i of the Kelvin sign and the dotted capital I.
    for (const given of ['\u212Aim@example.com', '\u0130an@example.com', '\uFF41mara@example.com'])
      expect(canonicalEmail(given)).toBeUndefined();
  });

  it('in its canonical form stays as it is, whatever was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (local, domain) => {
        const canonical = canonicalEmail(`${local}@${domain}.example`);
        if (canonical === undefined) return;
        expect(canonical).toMatch(/^[!-~]+$/);
        expect(canonicalEmail(canonical)).toBe(canonical);
      }),
    );
  });
});
