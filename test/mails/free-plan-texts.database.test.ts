import { randomUUID } from 'node:crypto';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readSendEmail, shownMailbox } from '../../infra/local/mails/request.ts';
import { mailVariables } from '../../shared/contract/mail-settings.ts';
import { type MailKind, mailKinds, mails } from '../../shared/contract/mails.ts';
import { changeMailKind, changeSender } from '../../shared/domain/programs/change-mail-settings.ts';
import { mailSettingsOf } from '../../shared/domain/programs/mail-settings.ts';
import { programs, type StoredProgram } from '../../shared/domain/programs/repository.ts';
import { deliverMail } from '../../shared/mails/deliver.ts';
import { sampleMailData } from '../../shared/mails/samples.ts';
import type { unsubscribeToken } from '../../shared/platform/mail/unsubscribe-link.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { storeProgram } from '../support/webhooks.ts';

vi.mock(import('../../shared/platform/mail/unsubscribe-link.ts'), async (original) => ({
  ...(await original()),
  unsubscribeToken: vi.fn<typeof unsubscribeToken>(async () => 'token'),
}));

let sent: unknown[] = [];
beforeEach(() => {
  sent = [];
  vi.stubEnv('APP_URL', 'https://app.example.com');
  vi.stubEnv(mailVariables.from, 'programs@example.com');
  vi.stubEnv(mailVariables.configurationSet, 'feedback');
  vi.spyOn(SESv2Client.prototype, 'send').mockImplementation(async ({ input }: { input: unknown }) => {
    sent.push(input);
  });
  return () => vi.unstubAllEnvs();
});

const own = { senderName: 'Cheap Pills', subject: 'Buy {program} pills', opening: 'Visit pills.example now.' };
const message = 'Pills for those who are declined';

/** Its owner has written what they could, and has another plan since. */
const writtenOn = async (kind: MailKind): Promise<StoredProgram> => {
  const { id } = await storeProgram('BUSINESS');
  await changeSender(id, { senderName: own.senderName, replyTo: null }, new Date());
  await changeMailKind(id, kind, { isOff: false, subject: own.subject, opening: own.opening }, new Date());
  return stored(id);
};
const stored = async (id: string): Promise<StoredProgram> => {
  const program = await programs.get(id, id);
  if (!program) throw new Error('There is no such program');
  return program;
};
const withPlan = async (program: StoredProgram, plan: 'FREE' | 'BUSINESS'): Promise<void> => {
  await writeTogether(programs.updateWrites(program.id, program, { ...program, plan }));
};
const delivered = async (kind: MailKind, programId: string) => {
  const data = {
    ...sampleMailData('https://app.example.com', 'USD')[kind],
    ...('message' in mails[kind].data.shape && { message }),
  };
  const to = `${randomUUID()}@example.com`;
  const mail = { id: randomUUID(), at: new Date().toISOString(), programId, kind, to, data, isTest: false };
  expect(await deliverMail(mail, new Date())).toBe('SENT');
  return shownMailbox(JSON.stringify(readSendEmail(Buffer.from(JSON.stringify(sent.at(-1))))));
};
const written = [own.senderName, 'Buy ', own.opening, message];
const shownIn = (mail: string) => written.filter((text) => mail.includes(text));

describe.each(mailKinds)('a mail of the kind %s', (kind) => {
  it('says nothing on the FREE plan that the program has written, and all of it on the BUSINESS plan', async () => {
    const program = await writtenOn(kind);
    const expected = mails[kind].from === 'SERVICE' ? [] : written.slice(0, kind === 'APPLICATION_DECLINED' ? 4 : 3);
    expect(shownIn(await delivered(kind, program.id))).toEqual(expected);
    await withPlan(program, 'FREE');
    expect(shownIn(await delivered(kind, program.id))).toEqual([]);
  });
});

it('what a program had written stays while it is on the FREE plan, whatever it sends, and is used again after', async () => {
  const program = await writtenOn('FIRST_SALE');
  await withPlan(program, 'FREE');
  await changeSender(program.id, { senderName: 'Other', replyTo: 'reply@example.com' }, new Date());
  await changeMailKind(program.id, 'FIRST_SALE', { isOff: true, subject: 'Other', opening: null }, new Date());
  expect(mailSettingsOf(await stored(program.id))).toEqual({
    senderName: own.senderName,
    replyTo: 'reply@example.com',
    kinds: { FIRST_SALE: { isOff: true, subject: own.subject, opening: own.opening } },
  });
});
