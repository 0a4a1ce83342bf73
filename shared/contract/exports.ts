import * as z from 'zod';
import { paging, recordFields, returnedInstant, uuid } from './fields.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';

export const exportStatuses = ['REQUESTED', 'RUNNING', 'DONE', 'FAILED'] as const;
export type ExportStatus = (typeof exportStatuses)[number];

/** The kinds of records in an export, each in its own file, in this order. */
export const exportedNames = [
  'groups',
  'affiliates',
  'links',
  'referrals',
  'coupons',
  'promotional-codes',
  'sales',
  'adjustments',
  'payout-batches',
  'payouts',
] as const;
export const ExportedName = z.enum(exportedNames);
export type ExportedName = z.infer<typeof ExportedName>;

/** For how long a link downloads. Whoever has it can use it until then. docs/security.md#files */
export const exportLinkSeconds = 300;

export const Export = z
  .object({
    ...recordFields,
    status: z.enum(exportStatuses),
    counts: z.partialRecord(ExportedName, z.int()).describe('How many records of each kind are in the file so far.'),
    bytes: z.int().nullable().describe('The size of the file once it is DONE.'),
    finishedAt: returnedInstant.nullable(),
    expiresAt: returnedInstant.nullable().describe('When the file is deleted: 7 days after it is DONE.'),
    message: z.string().nullable().describe('Why it FAILED.'),
    downloadUrl: z
      .url()
      .nullable()
      .optional()
      .describe(
        'Only when one export is read, while its file is there: downloads it for 5 minutes, by whoever has the link.',
      ),
  })
  .meta({ id: 'Export' });

const listExports = operation({
  id: 'listExports',
  method: 'GET',
  path: '/exports',
  auth: 'key',
  tag: 'Exports',
  summary: 'List exports',
  description: 'Exports of the last 30 days, newest first. With `id`: that one export, or 404.',
  query: z.strictObject({ id: uuid.optional(), ...paging }),
  response: Export,
  lists: true,
  selectors: ['id'],
  errors: ['not_found'],
  needs: ['EXPORT:read', 'EXPORT:list'],
  example: {},
});

const readExport = operation({
  id: 'readExport',
  method: 'GET',
  path: '/exports/{id}',
  auth: 'key',
  tag: 'Exports',
  summary: 'Read an export, with a link to its file',
  parameters: z.strictObject({ id: recordName('Export', uuid) }),
  query: z.strictObject({}),
  response: Export,
  errors: ['not_found'],
  needs: ['EXPORT:read', 'export-files:read'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000f8' } },
});

export const createExport = operation({
  id: 'createExport',
  method: 'POST',
  path: '/exports',
  auth: 'key',
  tag: 'Exports',
  summary: 'Export the whole program',
  description:
    'Returns at once with status REQUESTED. In the background a zip file is made of all records: as CSV files that an ' +
    'import reads, and as JSON lines of the records as this API returns them. Read the export until it is DONE. ' +
    '409 while another export of the program runs.',
  query: z.strictObject({}),
  body: z.strictObject({}),
  response: Export,
  errors: ['conflict'],
  needs: [
    'EXPORT:create',
    'EXPORT:read',
    'EXPORT:change',
    'EXPORT:delete',
    'IDEMPOTENCY:create',
    'IDEMPOTENCY:read',
    'export-files:read',
  ],
  example: { body: {} },
});

export const exportOperations = [listExports, readExport, createExport] as const;
