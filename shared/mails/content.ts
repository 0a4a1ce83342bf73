import { type MailData, type MailKind, mails, type WeeklyFigures } from '../contract/mails.ts';
import { paymentMethodWords } from '../contract/payment-methods.ts';
import { roleWords } from '../contract/roles.ts';
import { decimalText } from '../platform/money/money.ts';

/** What a mail says, of which its HTML and its plain text are made. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly { readonly label: string; readonly value: string }[] }
  | { readonly kind: 'button'; readonly label: string; readonly url: string }
  | { readonly kind: 'note'; readonly text: string };

export interface MailContent {
  readonly subject: string;
  readonly blocks: readonly Block[];
}

export interface MailContext {
  readonly programName: string;
  readonly to: string;
  /** What the program says in place of the subject and opening of the kind. */
  readonly texts?: { readonly subject: string | null; readonly opening: string | null } | undefined;
}

type Template<Kind extends MailKind> = (data: MailData<Kind>, context: MailContext) => readonly Block[];

const amountText = (minor: number | string, currency: string): string =>
  // As text, in which no digit is lost.
  new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(decimalText(minor, currency) as `${number}`);

const dayText = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

const changeText = (now: string | number, before: string | number): string => {
  if (BigInt(before) <= 0n) return '';
  const percent = Math.round(Number(((BigInt(now) - BigInt(before)) * 1000n) / BigInt(before)) / 10);
  return ` (${percent > 0 ? '+' : ''}${percent} %)`;
};

const weekFacts = (week: WeeklyFigures, before: WeeklyFigures, currency: string) => {
  const money = (name: 'revenueMinor' | 'commissionMinor') =>
    amountText(week[name], currency) + changeText(week[name], before[name]);
  const count = (name: 'sales' | 'clicks' | 'referrals') =>
    week[name].toLocaleString('en-US') + changeText(week[name], before[name]);
  return [
    { label: 'Revenue', value: money('revenueMinor') },
    { label: 'Commissions', value: money('commissionMinor') },
    { label: 'Sales', value: count('sales') },
    { label: 'Clicks', value: count('clicks') },
    { label: 'Referrals', value: count('referrals') },
  ];
};

const wayToPortal = (url: string | null): Block[] =>
  url === null ? [] : [{ kind: 'button', label: 'Open your portal', url }];

const paragraphsOf = (text: string): Block[] =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\s*\n/)
    .map((paragraph) => ({ kind: 'paragraph', text: paragraph }));

const ignoreIt = 'If you did not ask for it, ignore this mail.';

/** What follows the opening of each kind. A new kind does not compile until it is here. */
const templates: { readonly [Kind in MailKind]: Template<Kind> } = {
  MEMBER_INVITATION: ({ invitedBy, role, url }, { to }) => [
    { kind: 'facts', facts: [{ label: 'Your role', value: roleWords[role] }] },
    { kind: 'button', label: 'Open the invitation', url },
    { kind: 'note', text: `Sign in as ${to} to accept or decline. If you do not know ${invitedBy}, ignore this mail.` },
  ],
  PORTAL_SIGN_IN: ({ url }) => [
    { kind: 'button', label: 'Sign in', url },
    { kind: 'note', text: `The link works once, for ${mails.PORTAL_SIGN_IN.usefulMinutes} minutes. ${ignoreIt}` },
  ],
  PAYOUT_DETAILS_CONFIRM: ({ paymentMethod, payoutEmail, url }) => [
    {
      kind: 'facts',
      facts: [
        { label: 'Payment method', value: paymentMethod ? paymentMethodWords[paymentMethod] : 'Not set' },
        { label: 'Payout email', value: payoutEmail },
      ],
    },
    { kind: 'button', label: 'Look at them and confirm', url },
    {
      kind: 'note',
      text: 'The link works once, for 24 hours. If you did not enter them, ignore this mail, and tell the program that somebody else has been in your portal.',
    },
  ],
  APPLICATION_RECEIVED: () => [{ kind: 'note', text: `Somebody has applied with your address. ${ignoreIt}` }],
  APPLICATION_APPROVED: ({ url }, { to }) =>
    url === null
      ? []
      : [
          { kind: 'paragraph', text: 'Your links are ready in your portal.' },
          ...wayToPortal(url),
          { kind: 'note', text: `Sign in with ${to}: you get a link by mail each time, and need no password.` },
        ],
  APPLICATION_DECLINED: ({ message }) => (message === null ? [] : paragraphsOf(message)),
  FIRST_SALE: ({ commissionMinor, currency, url }) => [
    { kind: 'facts', facts: [{ label: 'Your commission', value: amountText(commissionMinor, currency) }] },
    ...wayToPortal(url),
  ],
  PAYOUT_PAID: ({ amountMinor, currency, paidOn, code, url }) => [
    {
      kind: 'facts',
      facts: [
        { label: 'Amount', value: amountText(amountMinor, currency) },
        { label: 'Paid on', value: dayText.format(new Date(paidOn)) },
        ...(code === null ? [] : [{ label: 'Paid by the code', value: code }]),
      ],
    },
    ...(code === null ? [] : [{ kind: 'note', text: 'Use the code when you next buy. Keep it to yourself.' } as const]),
    ...wayToPortal(url),
  ],
  WEEKLY_SUMMARY: ({ firstDay, lastDay, currency, week, weekBefore, url }) => [
    { kind: 'paragraph', text: dayText.formatRange(new Date(firstDay), new Date(lastDay)) },
    { kind: 'facts', facts: weekFacts(week, weekBefore, currency) },
    { kind: 'note', text: 'In brackets: the change from the week before.' },
    { kind: 'button', label: 'Open the program', url },
  ],
};

/** Puts the program's name and the texts of `data` in place of `{program}` and `{field}`. */
const filledIn = (text: string, { programName }: MailContext, data: Readonly<Record<string, unknown>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (written, name: string) => {
    if (name === 'program') return programName;
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    return typeof value === 'string' ? value : written;
  });

/** The content of a mail. Throws ZodError for data that are not those of its kind. */
export const contentOf = <Kind extends MailKind>(
  kind: Kind,
  unparsed: Readonly<Record<string, unknown>>,
  context: MailContext,
): MailContent => {
  const { data: schema, ...standard } = mails[kind];
  const subject = context.texts?.subject ?? standard.subject;
  const opening = context.texts?.opening ?? standard.opening;
  const data = schema.parse(unparsed);
  // Asserted: the schema is that of the kind.
  const further = templates[kind](data as MailData<Kind>, context);
  return {
    subject: filledIn(subject, context, data),
    blocks: [{ kind: 'paragraph', text: filledIn(opening, context, data) }, ...further],
  };
};
