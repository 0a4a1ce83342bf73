import { type MailKind, mailKinds, mails } from '../../shared/contract/mails.ts';
import { renderMail } from '../../shared/mails/render.ts';
import { sampleMailData } from '../../shared/mails/samples.ts';

const longAddress = `https://app.example.com/portal/tulips/sign-in/${'x'.repeat(90)}`;
const samples = sampleMailData('https://app.example.com', 'EUR');
const data = {
  ...samples,
  PORTAL_SIGN_IN: { url: longAddress },
  PAYOUT_DETAILS_CONFIRM: { ...samples.PAYOUT_DETAILS_CONFIRM, payoutEmail: `${'x'.repeat(64)}@payments.example.com` },
  APPLICATION_DECLINED: { message: `Look for another program:\n${longAddress}` },
};

interface Sample {
  readonly programName?: string;
  readonly accentColor?: string | null;
  readonly to?: string;
}

export const sampleData = (kind: MailKind): Record<string, unknown> => data[kind];

/** A mail of a kind, as a program sends it. */
export const sampleMail = (kind: MailKind, { programName = 'Tulip Shop', accentColor, to }: Sample = {}) =>
  renderMail({
    kind,
    data: data[kind],
    to: to ?? 'noor@example.com',
    brand: { name: programName, accentColor },
    unsubscribeUrl: mails[kind].isTransactional ? undefined : 'https://app.example.com/mails/unsubscribe/token',
  });

export const allKinds = mailKinds.map((kind) => ({ kind }));
