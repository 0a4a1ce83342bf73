import * as z from 'zod';
import { type AffiliateSummary, affiliateStatuses } from '../../contract/affiliates.ts';
import { Application } from '../../contract/applications.ts';
import { paymentMethods } from '../../contract/payment-methods.ts';
import { storedFields } from '../../platform/table/keys.ts';

/** One page holds the links of an affiliate. */
export const maxLinks = 100;

/** A new affiliate and their first link, which the plan of the program may bound. docs/behavior.md#records-on-the-free-plan */
export const recordsOfNewAffiliate = 2;

export const StoredAffiliate = z.object({
  ...storedFields,
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  status: z.enum(affiliateStatuses),
  /** Percent; null means the program's rate. */
  commissionRate: z.number().nullable(),
  payoutEmail: z.string().nullable(),
  paymentMethod: z.enum(paymentMethods).nullable(),
  externalId: z.string().nullable(),
  /** Null means the default group. docs/behavior.md#groups */
  groupId: z.string().nullable().default(null),
  /** When its group was set; null if never. */
  groupSince: z.string().nullable().default(null),
  source: z.enum(['API', 'PORTAL', 'IMPORTED']),
  /** Null where nobody applied. An INACTIVE affiliate whose application is WAITING was never active. */
  application: Application.extend({ message: Application.shape.message.default(null) })
    .nullable()
    .default(null),
  /** The slot that bounds the number of applications that wait; null once it is decided. */
  waitingSlot: z.number().nullable().default(null),
  links: z.record(z.string(), z.object({ link: z.string(), createdAt: z.string(), updatedAt: z.string() })),
  searchWords: z.array(z.string()).default([]),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export type StoredAffiliate = z.infer<typeof StoredAffiliate>;

/** Whether somebody has to approve or decline it. */
export const isWaiting = ({ status, application }: Pick<StoredAffiliate, 'status' | 'application'>): boolean =>
  status === 'INACTIVE' && application?.status === 'WAITING';

export const fullName = ({ firstName, lastName }: { firstName: string; lastName: string }): string =>
  `${firstName} ${lastName}`.trim();

export const affiliateSummary = ({
  id,
  firstName,
  lastName,
  email,
}: Pick<StoredAffiliate, 'id' | 'firstName' | 'lastName' | 'email'>): z.input<typeof AffiliateSummary> => ({
  id,
  firstName,
  lastName,
  email,
});
