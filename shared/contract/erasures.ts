import * as z from 'zod';
import { email, recordFields, returnedInstant, uuid } from './fields.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';

export const erasureStatuses = ['RUNNING', 'DONE'] as const;

export const remainsAfterErasure = [
  'Backups of the tables, until they expire after 35 days.',
  'What webhooks have sent to other systems, and what was downloaded.',
  'Encrypted responses that are kept for an Idempotency-Key, for up to 24 hours.',
  'Files of imports and exports, for up to 7 days, and dead letters, until an operator discards them.',
  'Names that the program gave to coupons, groups and payout batches.',
  'The person as a member of the program.',
] as const;

const count = z.int().min(0);

export const Erasure = z
  .object({
    ...recordFields,
    status: z.enum(erasureStatuses),
    endedAt: returnedInstant.nullable(),
    records: count,
    erased: z.object({
      affiliates: count,
      links: count,
      promotionalCodes: count,
      referrals: count,
      sales: count,
      deletedRecords: count,
      events: count,
      deliveries: count,
      auditEntries: count,
    }),
    remains: z.array(z.string()),
  })
  .meta({ id: 'Erasure' });

export const runningErasureExample: z.input<typeof Erasure> = {
  id: '019a0000-0000-7000-8000-0000000000e9',
  createdAt: '2026-02-01T12:00:00.000Z',
  updatedAt: '2026-02-01T12:00:00.000Z',
  status: 'RUNNING',
  endedAt: null,
  records: 0,
  erased: {
    affiliates: 0,
    links: 0,
    promotionalCodes: 0,
    referrals: 0,
    sales: 0,
    deletedRecords: 0,
    events: 0,
    deliveries: 0,
    auditEntries: 0,
  },
  remains: [...remainsAfterErasure],
};
export const doneErasureExample: z.input<typeof Erasure> = {
  ...runningErasureExample,
  updatedAt: '2026-02-01T12:00:04.000Z',
  status: 'DONE',
  endedAt: '2026-02-01T12:00:04.000Z',
  records: 4,
  erased: { ...runningErasureExample.erased, referrals: 1, sales: 3, events: 9, deliveries: 2, auditEntries: 4 },
};

export const createErasure = operation({
  id: 'createErasure',
  method: 'POST',
  path: '/erasures',
  auth: 'key',
  tag: 'Erasures',
  summary: 'Erase a person',
  description:
    'Erases the affiliate and the customer with that email, in the background: names, emails, notes and metadata are replaced by ' +
    '`erased` in records, in events and in what endpoints responded to them; the texts of the affiliate’s links and codes too. ' +
    'Amounts stay. The affiliate becomes INACTIVE and earns nothing more. It makes no events, and cannot be undone. Afterwards ' +
    'the email is free. While the person is being erased, the same request returns the erasure that is running.',
  query: z.strictObject({}),
  body: z.strictObject({ email }),
  response: Erasure,
  errors: [],
  needs: ['ERASURE:create', 'ERASURE:read', 'click-ids:use', 'IDEMPOTENCY:create', 'IDEMPOTENCY:read'],
  example: { body: { email: 'noor.haddad@example.com' } },
});

export const readErasure = operation({
  id: 'readErasure',
  method: 'GET',
  path: '/erasures/{id}',
  auth: 'key',
  tag: 'Erasures',
  summary: 'Read an erasure',
  parameters: z.strictObject({ id: recordName('Erasure', uuid) }),
  query: z.strictObject({}),
  response: Erasure,
  errors: ['not_found'],
  needs: ['ERASURE:read'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000e9' } },
});

export const erasureOperations = [createErasure, readErasure] as const;
