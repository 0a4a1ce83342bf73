import * as z from 'zod';
import { auditFilters } from '../audit-log.ts';
import { webPage } from '../page.ts';
import { cursor, filter, period, sortedBy } from './list-query.ts';

const area = { function: 'web-webhooks', auth: 'session' } as const;
const path = '/programs/{programId}/audit-log';

const filters = {
  recordType: filter(auditFilters.recordType),
  recordId: filter(auditFilters.recordId),
  actor: filter(auditFilters.actor),
  ...period,
  ...sortedBy(),
};
const needsOfList = ['AUDIT:read', 'AUDIT:list', 'AUDIT:list:GSI1', 'AUDIT:list:GSI2', 'AUDIT:list:GSI3'] as const;

export const showAuditLog = webPage({
  ...area,
  id: 'showAuditLog',
  method: 'GET',
  path,
  query: z.object({ ...filters, cursor }),
  // The names of the API keys that made changes, and of the changed records.
  needs: [
    ...needsOfList,
    'API_KEY:list',
    'AFFILIATE:read',
    'GROUP:read',
    'LINK:read',
    'COUPON:read',
    'PROMOTIONAL_CODE:read',
    'REFERRAL:read',
    'SALE:read',
    'PAYOUT_BATCH:read',
    'WEBHOOK:read',
    'TOMBSTONE:read',
  ],
});

const downloadAuditLog = webPage({
  ...area,
  id: 'downloadAuditLog',
  method: 'GET',
  path: `${path}.csv`,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

export const auditPages = [showAuditLog, downloadAuditLog] as const;
