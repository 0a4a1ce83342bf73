import { SESv2Client } from '@aws-sdk/client-sesv2';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { addressOf, readSendEmail, shownMailbox } from '../../../infra/local/mails/request.ts';
import { mailVariables } from '../../../shared/contract/mail-settings.ts';
import { type Email, headerLine, mailbox, sendEmail } from '../../../shared/platform/mail/send-email.ts';
import { anyCharacter } from '../../support/any-character.ts';

const from = 'programs@example.com';
const email: Email = {
  fromName: 'Tulip Shop',
  replyTo: undefined,
  to: 'noor@example.com',
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
  unsubscribeUrl: undefined,
};

let sent: unknown[] = [];
let fail: Error | undefined;
beforeEach(() => {
  sent = [];
  fail = undefined;
  vi.stubEnv(mailVariables.from, from);
  vi.stubEnv(mailVariables.configurationSet, 'feedback');
  vi.spyOn(SESv2Client.prototype, 'send').mockImplementation(async ({ input }: { input: unknown }) => {
    if (fail) throw fail;
    sent.push(input);
  });
  return () => vi.unstubAllEnvs();
});
const send = async (overrides: Partial<Email>) => {
  await sendEmail({ ...email, ...overrides });
  // What SES would refuse is refused here.
  return readSendEmail(Buffer.from(JSON.stringify(sent.at(-1))));
};

/** Texts with what could begin another header or end a name. */
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\u2028',
        '\u202e',
        '"',
        '<',
        '>',
        ',',
        'Bcc: a@b.example',
        '=?UTF-8?B?QQ==?=',
        'é',
        '🌷',
        ' ',
      ),
    )
    .map((parts) => parts.join('')),
);

describe('no name or subject, whatever it holds,', () => {
  it('adds a header, a line or an address', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (name, subject) => {
        const { FromEmailAddress, Content, Destination } = await send({ fromName: name, subject });
        expect(FromEmailAddress).toMatch(/^[\x20-\x7e]+$/);
        expect(FromEmailAddress.match(/[<>"]/g) ?? []).toHaveLength(headerLine(name, 80) === '' ? 0 : 2);
        expect(addressOf(FromEmailAddress)).toBe(from);
        expect(Content.Simple.Subject.Data).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(Content.Simple.Headers.map(({ Name }) => Name)).toEqual(['Auto-Submitted']);
        expect(Destination.ToAddresses).toEqual([email.to]);
      }),
      { numRuns: 300 },
    );
  });

  it('is shown otherwise than it was written, but for control characters and its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), (name) => {
        const line = headerLine(name, 80);
        expect(shownMailbox(mailbox(name, from))).toBe(line === '' ? from : `${line} <${from}>`);
      }),
    );
  });

  it('is longer than a header may be', async () => {
    const { FromEmailAddress, Content } = await send({ fromName: '🌷'.repeat(200), subject: 'é'.repeat(300) });
    expect([...shownMailbox(FromEmailAddress)].length).toBe(80 + ` <${from}>`.length);
    expect([...Content.Simple.Subject.Data].length).toBe(150);
    for (const word of FromEmailAddress.split(' ').slice(0, -1)) expect(word.length).toBeLessThanOrEqual(75);
  });
});

it('a mail that can be unsubscribed from says so by RFC 8058, and another one does not', async () => {
  const { Content } = await send({ unsubscribeUrl: 'https://example.com/mails/unsubscribe/x' });
  expect(Content.Simple.Headers).toEqual([
    { Name: 'Auto-Submitted', Value: 'auto-generated' },
    { Name: 'List-Unsubscribe', Value: '<https://example.com/mails/unsubscribe/x>' },
    { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
  ]);
  expect((await send({})).Content.Simple.Headers).toHaveLength(1);
});

it('a refusal of SES names its kind and nothing of what it said, which may be an address', async () => {
  fail = Object.assign(new Error('Address noor@example.com is not verified'), { name: 'MessageRejected' });
  await expect(sendEmail(email)).rejects.toThrow(/^SES refused it: MessageRejected$/);
});

it('replies go where the program wants them', async () => {
  expect((await send({ replyTo: 'hello@example.com' })).ReplyToAddresses).toEqual(['hello@example.com']);
});
