import * as z from 'zod';
import { Actor } from './actor.ts';
import { exactLine, paging, recordFields, uuid } from './fields.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';

/** What a change may be of: records, the settings of the program, and what gives access. */
export const auditRecordTypes = [
  'AFFILIATE',
  'GROUP',
  'LINK',
  'COUPON',
  'PROMOTIONAL_CODE',
  'REFERRAL',
  'SALE',
  'PAYOUT_BATCH',
  'PROGRAM',
  'MEMBER',
  'API_KEY',
  'CONNECTION',
  'WEBHOOK',
  'SUBSCRIPTION',
  'EXPORT',
] as const;
export type AuditRecordType = (typeof auditRecordTypes)[number];

export const auditActions = ['CREATED', 'UPDATED', 'DELETED'] as const;
export type AuditAction = (typeof auditActions)[number];

export const AuditEntry = z
  .object({
    ...recordFields,
    createdAt: recordFields.createdAt.describe('When the change was made.'),
    updatedAt: recordFields.updatedAt.describe(
      'The same, also where a person was erased from the entry: nothing else changes one.',
    ),
    actor: Actor.nullable().describe('Who made the change; null for the operator.'),
    cause: z
      .object({
        requestId: z.string().nullable().describe('The `x-request-id` of the request.'),
        actor: Actor.nullable().describe('Who made the request.'),
      })
      .nullable()
      .describe('The request that caused the change, also where a worker made it. Null where no request did.'),
    action: z.enum(auditActions),
    recordType: z.enum(auditRecordTypes),
    recordId: z.string(),
    changes: z
      .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
      .describe('The changed fields, each before and after. A value that is not there is null.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.input<typeof AuditEntry>;

export const auditFilters = {
  recordType: z.enum(auditRecordTypes).optional(),
  recordId: exactLine.min(1).max(100).optional(),
  actor: exactLine.min(1).max(320).optional(),
};

const listAuditLog = operation({
  id: 'listAuditLog',
  method: 'GET',
  path: '/audit-log',
  auth: 'key',
  tag: 'Audit log',
  summary: 'List the audit log',
  description:
    'Every change of a record, of the settings, of keys, members and endpoints in the last 400 days, newest first: who ' +
    'made it, when, and the changed fields before and after. Secrets are never in it. A change is listed within seconds.',
  query: z.strictObject({ id: uuid.optional(), ...auditFilters, ...paging }),
  response: AuditEntry,
  lists: true,
  selectors: ['id'],
  errors: ['not_found'],
  needs: ['AUDIT:read', 'AUDIT:list', 'AUDIT:list:GSI1', 'AUDIT:list:GSI2', 'AUDIT:list:GSI3'],
  example: { query: { recordType: 'SALE' } },
});

const readAuditEntry = operation({
  id: 'readAuditEntry',
  method: 'GET',
  path: '/audit-log/{id}',
  auth: 'key',
  tag: 'Audit log',
  summary: 'Read an entry of the audit log',
  parameters: z.strictObject({ id: recordName('Audit entry', uuid) }),
  query: z.strictObject({}),
  response: AuditEntry,
  errors: ['not_found'],
  needs: ['AUDIT:read'],
  example: { parameters: { id: '019a0000-0000-7000-8000-0000000000a9' } },
});

export const auditOperations = [listAuditLog, readAuditEntry] as const;
