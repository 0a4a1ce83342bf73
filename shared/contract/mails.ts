import * as z from 'zod';
import { currency, email, uuid } from './fields.ts';
import { paymentMethods } from './payment-methods.ts';
import { roles } from './roles.ts';

/** Mails are counted apart, so that what strangers ask for uses up nothing of the others. docs/behavior.md#limits-of-mails */
export const mailBudgets = ['PROGRAM', 'SIGN_IN', 'APPLICATIONS', 'INVITATIONS'] as const;
export type MailBudget = (typeof mailBudgets)[number];

/** One kind of mail. Its template, its place in the settings and its tests follow from it. docs/behavior.md#mails */
export interface MailKindDefinition {
  readonly label: string;
  readonly to: 'MEMBER' | 'AFFILIATE' | 'APPLICANT';
  /** In whose name and color. A program shows nothing of itself to people who never asked for it. docs/security.md#threats */
  readonly from: 'PROGRAM' | 'SERVICE';
  /** It follows from what the receiver or a colleague has just done. Others have a link that ends them. */
  readonly isTransactional: boolean;
  /** Whether somebody else can have it sent to an address, so that it counts against the limit of the address. */
  readonly countsForAddress: boolean;
  /** With which others it is counted: `PROGRAM` for what follows from the program's own records. */
  readonly budget: MailBudget;
  /** Both may name `{program}` and the fields of `data` that are text. */
  readonly subject: string;
  readonly opening: string;
  readonly data: z.ZodObject;
  /** For how long it is of use; a mail that comes later is not sent. */
  readonly usefulMinutes: number;
}

const address = z.url({ protocol: /^https?$/ }).max(2000);
/** Null where the portal is off, or sends no sign-in links. */
const portalUrl = address.nullable();
const days = 24 * 60;
/** Text, because a sum may exceed a safe integer. */
const minorSum = z.string().regex(/^-?\d{1,30}$/);
const figures = z.strictObject({
  sales: z.int(),
  revenueMinor: minorSum,
  commissionMinor: minorSum,
  clicks: z.int(),
  referrals: z.int(),
});
export type WeeklyFigures = z.output<typeof figures>;

export const mails = {
  MEMBER_INVITATION: {
    label: 'Invitation of a member',
    to: 'MEMBER',
    from: 'SERVICE',
    isTransactional: true,
    countsForAddress: true,
    budget: 'INVITATIONS',
    subject: 'You are invited to an affiliate program',
    opening: '{invitedBy} has invited you to work in an affiliate program.',
    data: z.strictObject({ invitedBy: email, role: z.enum(roles), url: address }),
    usefulMinutes: 14 * days,
  },
  PORTAL_SIGN_IN: {
    label: 'Sign-in link',
    to: 'AFFILIATE',
    from: 'PROGRAM',
    isTransactional: true,
    countsForAddress: true,
    budget: 'SIGN_IN',
    subject: 'Your sign-in link for {program}',
    opening: 'Use this link to sign in to your affiliate portal at {program}.',
    data: z.strictObject({ url: address }),
    usefulMinutes: 15,
  },
  PAYOUT_DETAILS_CONFIRM: {
    label: 'Confirmation of payout details',
    to: 'AFFILIATE',
    from: 'PROGRAM',
    isTransactional: true,
    // Without it no affiliate could change them.
    countsForAddress: true,
    budget: 'SIGN_IN',
    subject: 'Confirm your payout details for {program}',
    opening:
      'Somebody has entered new payout details in your affiliate portal at {program}. They take effect once you confirm them.',
    data: z.strictObject({ paymentMethod: z.enum(paymentMethods).nullable(), payoutEmail: email, url: address }),
    usefulMinutes: days,
  },
  APPLICATION_RECEIVED: {
    label: 'Application received',
    to: 'APPLICANT',
    from: 'PROGRAM',
    isTransactional: true,
    countsForAddress: true,
    budget: 'APPLICATIONS',
    subject: 'We have received your application to {program}',
    opening:
      'Thank you for applying to the affiliate program {program}. We will write to you when it has been reviewed.',
    data: z.strictObject({}),
    usefulMinutes: 14 * days,
  },
  APPLICATION_APPROVED: {
    label: 'Application approved',
    to: 'APPLICANT',
    from: 'PROGRAM',
    isTransactional: true,
    countsForAddress: true,
    budget: 'PROGRAM',
    subject: 'Welcome to {program}',
    opening: 'Your application to the affiliate program {program} has been approved.',
    data: z.strictObject({ url: portalUrl }),
    usefulMinutes: 14 * days,
  },
  APPLICATION_DECLINED: {
    label: 'Application declined',
    to: 'APPLICANT',
    from: 'PROGRAM',
    isTransactional: true,
    countsForAddress: true,
    budget: 'PROGRAM',
    subject: 'Your application to {program}',
    opening:
      'Thank you for your interest in the affiliate program {program}. We cannot accept your application at the moment.',
    data: z.strictObject({ message: z.string().nullable() }),
    usefulMinutes: 14 * days,
  },
  FIRST_SALE: {
    label: 'First sale',
    to: 'AFFILIATE',
    from: 'PROGRAM',
    isTransactional: false,
    countsForAddress: true,
    budget: 'PROGRAM',
    subject: 'Your first sale for {program}',
    opening: 'Congratulations: somebody has bought through you, your first sale in the affiliate program {program}.',
    data: z.strictObject({ commissionMinor: z.int(), currency, url: portalUrl.default(null) }),
    usefulMinutes: 14 * days,
  },
  PAYOUT_PAID: {
    label: 'Payout paid',
    to: 'AFFILIATE',
    from: 'PROGRAM',
    isTransactional: true,
    countsForAddress: true,
    budget: 'PROGRAM',
    subject: 'Your payout from {program}',
    opening: 'Your commissions in the affiliate program {program} have been paid.',
    data: z.strictObject({
      amountMinor: minorSum,
      currency,
      paidOn: z.iso.date(),
      /** What paid it, where that is a promotional code. */
      code: z.string().nullable(),
      url: portalUrl.default(null),
    }),
    usefulMinutes: 14 * days,
  },
  WEEKLY_SUMMARY: {
    label: 'Weekly summary',
    to: 'MEMBER',
    from: 'PROGRAM',
    isTransactional: false,
    countsForAddress: false,
    budget: 'PROGRAM',
    subject: 'Your week at {program}',
    opening: 'This is what affiliates have brought {program} last week.',
    data: z.strictObject({
      firstDay: z.iso.date(),
      lastDay: z.iso.date(),
      currency,
      week: figures,
      weekBefore: figures,
      url: address,
    }),
    usefulMinutes: 3 * days,
  },
} as const satisfies Record<string, MailKindDefinition>;

export type MailKind = keyof typeof mails;
export const mailKinds = Object.keys(mails) as [MailKind, ...MailKind[]];

/** What a mail of a kind says beside its subject and opening. */
export type MailData<Kind extends MailKind> = z.output<(typeof mails)[Kind]['data']>;

/** A mail in its queue. `data` is checked with the schema of its kind. */
export const MailMessage = z.strictObject({
  /** The same mail has the same id, however often it is sent to the queue. */
  id: z.string(),
  at: z.iso.datetime(),
  programId: uuid,
  kind: z.enum(mailKinds),
  to: email,
  data: z.record(z.string(), z.unknown()),
  /** A member has it sent to see it: also where the kind is switched off. */
  isTest: z.boolean().default(false),
});
export type MailMessage = z.output<typeof MailMessage>;

export const suppressionReasons = ['BOUNCE', 'COMPLAINT'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];
