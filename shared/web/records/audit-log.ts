import type { AuditEntry, AuditRecordType } from '../../contract/audit-log.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type auditPages, showAuditLog } from '../../contract/pages/audit-log.ts';
import { links } from '../../domain/affiliates/link-repository.ts';
import { affiliates } from '../../domain/affiliates/repository.ts';
import { auditResponse, listAuditEntries } from '../../domain/audit/audit-log.ts';
import { coupons } from '../../domain/coupons/repository.ts';
import { payoutBatches } from '../../domain/payouts/repository.ts';
import { allApiKeys } from '../../domain/programs/repository.ts';
import { promotionalCodes } from '../../domain/promotional-codes/repository.ts';
import { referrals } from '../../domain/referrals/repository.ts';
import { sales } from '../../domain/sales/repository.ts';
import type { PageRequest } from '../../platform/table/page.ts';
import { auditLogPath } from '../components/history-link.tsx';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { listPart, rangeOf } from '../lists/list-part.ts';
import { auditCsvColumns, auditLogView, nameIn } from '../pages/audit-log.tsx';

type Filters = PageQuery<typeof showAuditLog>;

const listEntries = (programId: string, { recordType, recordId, actor }: Filters, request: PageRequest, now: Date) =>
  listAuditEntries(programId, { recordType, recordId, actor }, request, now);

/** By id: what people call a key. A deleted one has none. */
const keyNamesOf = async (programId: string): Promise<ReadonlyMap<string, string>> =>
  new Map((await allApiKeys(programId)).map(({ id, name }) => [id, name]));

type Ids = readonly string[];

/** What people call a record, from its item: the record may have been deleted since. */
const nameReaders = {
  AFFILIATE: (programId: string, ids: Ids) =>
    affiliates.attributesEvenDeleted(programId, ids, ['firstName', 'lastName', 'email']),
  LINK: (programId: string, ids: Ids) => links.attributesEvenDeleted(programId, ids, ['link']),
  COUPON: (programId: string, ids: Ids) => coupons.attributesEvenDeleted(programId, ids, ['name']),
  PROMOTIONAL_CODE: (programId: string, ids: Ids) => promotionalCodes.attributesEvenDeleted(programId, ids, ['code']),
  REFERRAL: (programId: string, ids: Ids) => referrals.attributesEvenDeleted(programId, ids, ['name', 'email']),
  SALE: (programId: string, ids: Ids) => sales.attributesEvenDeleted(programId, ids, ['name', 'email']),
  PAYOUT_BATCH: (programId: string, ids: Ids) => payoutBatches.attributesEvenDeleted(programId, ids, ['name']),
} as const;

const hasNames = (type: AuditRecordType): type is keyof typeof nameReaders => type in nameReaders;

const nameOf = ({ firstName, lastName, name, code, link, email }: Readonly<Record<string, unknown>>): string =>
  String([firstName, lastName].filter(Boolean).join(' ') || name || code || link || email || '');

/** The names of the records of entries that do not say one, by id. */
const recordNamesOf = async (
  programId: string,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = new Map<keyof typeof nameReaders, string[]>();
  for (const entry of entries) {
    const { recordType, recordId } = entry;
    if (hasNames(recordType) && nameIn(entry) === undefined)
      ids.set(recordType, [...(ids.get(recordType) ?? []), recordId]);
  }
  const found = await Promise.all([...ids].map(([type, some]) => nameReaders[type](programId, some)));
  return new Map(found.flatMap((items) => [...items].map(([id, item]) => [id, nameOf({ ...item })] as const)));
};

export const auditHandlers: PageHandlersOf<typeof auditPages> = {
  showAuditLog: async ({ program, query, now }) => {
    const part = listPart(showAuditLog, program.id, auditLogPath(program.id), query);
    const [found, keyNames] = await Promise.all([
      listEntries(program.id, query, part.request, now),
      keyNamesOf(program.id),
    ]);
    const page = found.map(auditResponse);
    const recordNames = await recordNamesOf(program.id, page.items);
    return auditLogView(program.id, query, { part, page, names: { keyNames, recordNames } });
  },

  downloadAuditLog: (request) => {
    const { program, query, now } = request;
    const read = async (page: PageRequest) => (await listEntries(program.id, query, page, now)).map(auditResponse);
    return csvDownload(request, {
      name: 'audit-log',
      columns: auditCsvColumns,
      range: rangeOf(query),
      count: (page) => listEntries(program.id, query, page, now),
      read,
    });
  },
};
