import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type MailKind, mails } from '../../shared/contract/mails.ts';
import { renderMail } from '../../shared/mails/render.ts';
import { allKinds, sampleData, sampleMail } from './samples.ts';

/** The text of HTML as a person reads it, word by word. */
const wordsOf = (html: string): string[] =>
  html
    .replaceAll(/<(style|title)>[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .split(/\s+/)
    .filter(Boolean);

describe.each(allKinds)('a mail of the kind $kind', ({ kind }) => {
  const mail = sampleMail(kind);

  it('says in plain text all that it says in HTML', () => {
    const shown = wordsOf(mail.html);
    // The heading, and what stands above the address of a button, which the text has alone.
    const known = `${mail.text} Tulip Shop Or copy this address:`;
    expect(shown.filter((word) => !known.includes(word))).toEqual([]);
    expect(shown.length).toBeGreaterThan(15);
  });

  it('names the program, its receiver, and every address that it leads to, and leaves no placeholder', () => {
    for (const body of [mail.html, mail.text]) {
      expect(body).toContain('Tulip Shop');
      expect(body).toContain('noor@example.com');
      const { url } = sampleData(kind);
      if (url !== undefined) expect(body).toContain(String(url));
    }
    for (const part of [mail.subject, mail.text, mail.html.replaceAll(/<style>[\s\S]*<\/style>/g, '')])
      expect(part).not.toMatch(/\{\w*\}|undefined|\[object/);
    expect(mail.html.includes('/mails/unsubscribe/')).toBe(!mails[kind].isTransactional);
    expect(mail.text.includes('/mails/unsubscribe/')).toBe(!mails[kind].isTransactional);
  });

  it('loads nothing, runs nothing, and shows a name of any text as text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (name) => {
        const { html } = sampleMail(kind, { programName: `<img src=x>"${name}</table>` });
        expect(html).not.toMatch(/<(img|script|link|iframe|form|object)\b|\son\w+=|url\(/i);
        expect(html.match(/<\/?table/g)?.length).toBe(mail.html.match(/<\/?table/g)?.length);
      }),
      { numRuns: 50 },
    );
  });

  it('is refused with a field that it does not know', () => {
    expect(() => mails[kind].data.parse({ ...sampleData(kind), other: 1 })).toThrow(z.ZodError);
  });
});

it('a program that calls itself by a placeholder gets no text of the data', () => {
  const { subject, text } = sampleMail('PORTAL_SIGN_IN', { programName: '{url}' });
  expect(subject).toBe('Your sign-in link for {url}');
  expect(text).toContain('your affiliate portal at {url}.');
});

const leadToPortal = allKinds.filter(({ kind }) => {
  const schema: z.ZodObject = mails[kind].data;
  return schema.shape.url?.safeParse(null).success;
});

const rendered = (kind: MailKind, data: Readonly<Record<string, unknown>>) =>
  renderMail({
    kind,
    data,
    to: 'noor@example.com',
    brand: { name: 'Tulip Shop', accentColor: undefined },
    unsubscribeUrl: undefined,
  });

describe.each(leadToPortal)('a mail of the kind $kind', ({ kind }) => {
  it('leads to the portal where one can sign in to it, and names it nowhere else', () => {
    const { html, text } = rendered(kind, { ...sampleData(kind), url: null });
    for (const body of [html, text]) expect(body).not.toContain('portal');
    for (const body of [sampleMail(kind).html, sampleMail(kind).text]) {
      expect(body).toContain('Open your portal');
      expect(body).toContain('/portal/example');
    }
  });
});

it('the text of a decline keeps its paragraphs and line breaks, whatever made them', () => {
  const message = 'Dear <Noor>,\nthank you.\r\n\r\nWrite again\r\nin spring.\n\n\nTulip Shop';
  const paragraphs = ['Dear <Noor>,\nthank you.', 'Write again\nin spring.', 'Tulip Shop'];
  const { html, text } = rendered('APPLICATION_DECLINED', { message });
  const shown = [...html.matchAll(/<p [^>]*>([\s\S]*?)<\/p>/g)].map(([, inner = '']) =>
    inner
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/<br ?\/?>/g, '\n')
      .replaceAll('&lt;', '<'),
  );
  expect(shown).toEqual(expect.arrayContaining(paragraphs));
  expect(text).toContain(`\n\n${paragraphs.join('\n\n')}\n\n`);
});

/** As they were put into the queue before they led to the portal. */
it.each<[MailKind, Record<string, unknown>, string]>([
  ['FIRST_SALE', { commissionMinor: 1250, currency: 'USD' }, '$12.50'],
  ['PAYOUT_PAID', { amountMinor: '1000', currency: 'USD', paidOn: '2026-03-01', code: null }, '$10.00'],
])('a mail of the kind %s that an earlier version has put into the queue says the same', (kind, data, amount) => {
  const { html, text } = rendered(kind, data);
  for (const body of [html, text]) {
    expect(body).toContain(amount);
    expect(body).not.toContain('portal');
  }
});
