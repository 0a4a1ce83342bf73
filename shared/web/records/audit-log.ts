import type { AuditEntry, AuditRecordType } from '../../contract/audit-log.ts';
import type { PageQuery } from '../../contract/page.ts';
import { type auditPages, showAuditLog } from '../../contract/pages/audit-log.ts';
import { links } from '../../domain/affiliates/link-repository.ts';
import { affiliateNames } from '../../domain/affiliates/names.ts';
import { fullName } from '../../domain/affiliates/rules.ts';
import { auditResponse, listAuditEntries } from '../../domain/audit/audit-log.ts';
import { coupons } from '../../domain/coupons/repository.ts';
import { groups } from '../../domain/groups/repository.ts';
import { payoutBatches } from '../../domain/payouts/repository.ts';
import { allApiKeys } from '../../domain/programs/repository.ts';
import { promotionalCodes } from '../../domain/promotional-codes/repository.ts';
import { referrals } from '../../domain/referrals/repository.ts';
import { sales } from '../../domain/sales/repository.ts';
import type { PageRequest } from '../../platform/table/page.ts';
import { webhooks } from '../../webhooks/endpoints/repository.ts';
import { auditLogPath } from '../components/history-link.tsx';
import type { PageHandlersOf } from '../handlers.ts';
import { csvDownload } from '../lists/csv-download.ts';
import { listPart, rangeOf } from '../lists/list-part.ts';
import { auditCsvColumns, auditLogView, nameIn } from '../pages/audit-log.tsx';

type Filters = PageQuery<typeof showAuditLog>;
type Names = ReadonlyMap<string, string>;

const listEntries = (programId: string, { recordType, recordId, actor }: Filters, request: PageRequest, now: Date) =>
  listAuditEntries(programId, { recordType, recordId, actor }, request, now);

/** By id: what people call a key. A deleted one has none. */
const keyNamesOf = async (programId: string): Promise<Names> =>
  new Map((await allApiKeys(programId)).map(({ id, name }) => [id, name]));

type NameReader = (programId: string, ids: readonly string[]) => Promise<Names>;

/** Reads the first of the attributes that is not empty, also of records that were deleted since. */
const namedBy =
  <Name extends string>(
    store: {
      attributesEvenDeleted: (
        programId: string,
        ids: Iterable<string>,
        attributes: readonly Name[],
      ) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
    },
    ...attributes: readonly Name[]
  ): NameReader =>
  async (programId, ids) => {
    const found = await store.attributesEvenDeleted(programId, ids, attributes);
    const nameOf = (item: Readonly<Record<string, unknown>>) => attributes.map((name) => item[name]).find(Boolean);
    return new Map([...found].map(([id, item]) => [id, String(nameOf(item) ?? '')]));
  };

const ofAffiliates: NameReader = async (programId, ids) => {
  const found = await affiliateNames(programId, ids);
  return new Map([...found].map(([id, affiliate]) => [id, fullName(affiliate) || affiliate.email]));
};

/** Undefined where there is one of a program, the id is the name, or an edit always says the name. */
const nameReaders: Readonly<Record<AuditRecordType, NameReader | undefined>> = {
  AFFILIATE: ofAffiliates,
  GROUP: namedBy(groups, 'name'),
  LINK: namedBy(links, 'link'),
  COUPON: namedBy(coupons, 'name'),
  PROMOTIONAL_CODE: namedBy(promotionalCodes, 'code'),
  REFERRAL: namedBy(referrals, 'name', 'email'),
  SALE: namedBy(sales, 'name', 'email'),
  PAYOUT_BATCH: namedBy(payoutBatches, 'name'),
  PROGRAM: undefined,
  MEMBER: undefined,
  API_KEY: undefined,
  CONNECTION: undefined,
  WEBHOOK: namedBy(webhooks, 'url'),
  SUBSCRIPTION: undefined,
  EXPORT: undefined,
};

/** The names of the records of entries that do not say one, by id. */
const recordNamesOf = async (programId: string, entries: readonly AuditEntry[]): Promise<Names> => {
  const unnamed = Map.groupBy(
    entries.filter((entry) => nameIn(entry) === undefined),
    ({ recordType }) => recordType,
  );
  const found = await Promise.all(
    [...unnamed].map(
      ([type, some]) =>
        nameReaders[type]?.(
          programId,
          some.map(({ recordId }) => recordId),
        ) ?? new Map(),
    ),
  );
  return new Map(found.flatMap((names: Names) => [...names]));
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
