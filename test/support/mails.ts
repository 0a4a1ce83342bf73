import { vi } from 'vitest';
import * as z from 'zod';
import { mailsPath } from '../../infra/local/mails/mailbox-page.ts';
import { appUrl } from './browser.ts';
import { sendRequest } from './http.ts';

const Mail = z.object({
  to: z.string(),
  from: z.string(),
  replyTo: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  headers: z.record(z.string(), z.string()),
  sentAt: z.iso.datetime(),
});
export type SentMail = z.output<typeof Mail>;

/** What the stack has sent to an address, the newest first. */
export const mailsTo = async (address: string): Promise<SentMail[]> => {
  const { text } = await sendRequest(new URL(mailsPath, appUrl()), { headers: { accept: 'application/json' } });
  return z
    .array(Mail)
    .parse(JSON.parse(text))
    .filter(({ to }) => to === address);
};

/** The newest mail to an address, once there are as many. */
export const nextMailTo = (address: string, count = 1): Promise<SentMail> =>
  vi.waitFor(
    async () => {
      const [newest, ...others] = await mailsTo(address);
      if (!newest || others.length + 1 < count) throw new Error(`${address} has got ${newest ? 1 + others.length : 0}`);
      return newest;
    },
    { timeout: 30_000, interval: 100 },
  );

/** The first address of a mail's text that begins with a path. */
export const addressIn = ({ text }: SentMail, path: string): string => {
  const found = text.split(/\s+/).find((word) => URL.canParse(word) && new URL(word).pathname.startsWith(path));
  if (!found) throw new Error(`The mail has no address at ${path}: ${text}`);
  return found;
};

/** The first address that begins with a path, of the newest mail to a person that has one. */
export const mailedAddress = (person: string, path: string): Promise<string> =>
  vi.waitFor(
    async () => {
      const mails = await mailsTo(person);
      const mail = mails.find(({ text }) => text.includes(path));
      if (!mail) throw new Error(`None of the ${mails.length} mails to ${person} has an address at ${path}`);
      return addressIn(mail, path);
    },
    { timeout: 30_000, interval: 100 },
  );
