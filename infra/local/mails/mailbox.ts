import { randomUUID } from 'node:crypto';

/** A mail that was sent, as its receiver's program shows it. */
export interface KeptMail {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Those that the sender has set itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sentAt: string;
}

export interface Mailbox {
  /** Keeps a mail; the oldest goes once there are too many. @returns its id */
  add(mail: Omit<KeptMail, 'id'>): string;
  /** Newest first. */
  all(): readonly KeptMail[];
  find(id: string): KeptMail | undefined;
}

const maxMails = 500;

export const createMailbox = (): Mailbox => {
  const mails: KeptMail[] = [];
  return {
    add: (mail) => {
      const id = randomUUID();
      mails.unshift({ id, ...mail });
      mails.length = Math.min(mails.length, maxMails);
      return id;
    },
    all: () => mails,
    find: (id) => mails.find((mail) => mail.id === id),
  };
};
