import type { Actor } from '../../contract/actor.ts';
import { type AuditAction, type AuditEntry, type AuditRecordType, auditRecordTypes } from '../../contract/audit-log.ts';
import type { PageQuery } from '../../contract/page.ts';
import type { showAuditLog } from '../../contract/pages/audit-log.ts';
import type { Page } from '../../platform/table/page.ts';
import { choicesOf, Field, FilterForm, MoreFilters, PeriodFields, Select, unfilled } from '../components/controls.tsx';
import { auditLogPath } from '../components/history-link.tsx';
import { EmptyState, State } from '../components/table.tsx';
import { counted } from '../components/text.tsx';
import { Time, timeText } from '../components/time.tsx';
import { noMatches, Paging, SortField } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type ColumnsOf, csvColumns } from '../lists/record-fields.ts';
import { type View, view } from '../responses.ts';

const typeWords: Readonly<Record<AuditRecordType, string>> = {
  AFFILIATE: 'Affiliate',
  GROUP: 'Group',
  LINK: 'Link',
  COUPON: 'Coupon',
  PROMOTIONAL_CODE: 'Code',
  REFERRAL: 'Referral',
  SALE: 'Sale',
  PAYOUT_BATCH: 'Payout batch',
  ASSET: 'Asset',
  PROGRAM: 'Program settings',
  MEMBER: 'Member',
  API_KEY: 'API key',
  CONNECTION: 'Connected app',
  WEBHOOK: 'Webhook endpoint',
  SUBSCRIPTION: 'Subscription',
  EXPORT: 'Export',
};

/** Where the records of a type have pages, below the program's own path. A `member` has none of its own for everybody. */
const sections: Readonly<Record<AuditRecordType, string | undefined>> = {
  AFFILIATE: 'affiliates',
  GROUP: 'groups',
  LINK: 'links',
  COUPON: 'coupons',
  PROMOTIONAL_CODE: 'promotional-codes',
  REFERRAL: 'referrals',
  SALE: 'sales',
  PAYOUT_BATCH: 'payout-batches',
  ASSET: undefined,
  PROGRAM: undefined,
  MEMBER: undefined,
  API_KEY: undefined,
  CONNECTION: undefined,
  WEBHOOK: 'webhooks',
  SUBSCRIPTION: undefined,
  EXPORT: undefined,
};

const actionWords = { CREATED: 'Created', UPDATED: 'Changed', DELETED: 'Deleted' } as const;
const tones = { CREATED: 'good', UPDATED: 'plain', DELETED: 'bad' } as const satisfies Record<AuditAction, string>;

type Entry = AuditEntry;

/** What the record is called, where the entry itself says it. */
export const nameIn = ({ changes }: Entry): string | undefined => {
  const names = ['name', 'code', 'link', 'email', 'url'].flatMap((field) => {
    const { from, to } = changes[field] ?? {};
    return [to, from].filter((value) => typeof value === 'string' && value !== '');
  });
  return names[0] === undefined ? undefined : String(names[0]);
};

/** By id: what keys and records are called that entries only name. */
interface Names {
  keyNames: ReadonlyMap<string, string>;
  recordNames: ReadonlyMap<string, string>;
}

const Subject = ({ programId, entry, names }: { programId: string; entry: Entry; names: Names }) => {
  const { action, recordType, recordId } = entry;
  const section = action === 'DELETED' ? undefined : sections[recordType];
  const name = recordType === 'PROGRAM' ? undefined : (nameIn(entry) ?? (names.recordNames.get(recordId) || recordId));
  const words = `${typeWords[recordType]}${name === undefined ? '' : ` ${name}`}`;
  return section ? <a href={`/programs/${programId}/${section}/${recordId}`}>{words}</a> : <span>{words}</span>;
};

const wordsOfOthers = { API_KEY: 'API key', CONNECTED_APP: 'Connected app', AFFILIATE: 'Affiliate' } as const;

const nameOfActor = (actor: Actor | null, { keyNames }: Names): string => {
  if (!actor) return 'The operator';
  if (actor.type === 'MEMBER') return actor.id;
  if (actor.type === 'SYSTEM') return `Background process ${actor.id}`;
  return `${wordsOfOthers[actor.type]} ${keyNames.get(actor.id) ?? actor.id}`;
};

/** Who did it; of a background process also who made the request that it followed from. */
const Who = ({ entry: { actor, cause }, names }: { entry: Entry; names: Names }) => (
  <span class="hint">
    {nameOfActor(actor, names)}
    {actor?.type === 'SYSTEM' && cause?.actor && `, for ${nameOfActor(cause.actor, names)}`}
  </span>
);

const maxShownCharacters = 200;

const shortened = (text: string): string =>
  text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;

/** What people call a link of an affiliate, in place of all that it has. */
const nameInList = (value: object): string | undefined =>
  'link' in value && typeof value.link === 'string' ? value.link : undefined;

const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);

const wholeText = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' && isInstant(value)) return timeText(value);
  if (!(value instanceof Object)) return String(value);
  const inner = (one: unknown) => (one instanceof Object ? (nameInList(one) ?? `(${wholeText(one)})`) : wholeText(one));
  const parts = Array.isArray(value)
    ? value.map(inner)
    : Object.entries(value).map(([name, one]) => `${name}: ${inner(one)}`);
  return parts.join(', ') || 'none';
};

const textOf = (value: unknown): string => shortened(wholeText(value));

/** A field's name as words: `commissionRate` is “Commission rate”. */
const fieldWords = (name: string): string => {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\b(id|ids|url|urls)\b/g, (word) =>
      word.endsWith('s') ? `${word.slice(0, -1).toUpperCase()}s` : word.toUpperCase(),
    );
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};

const ChangedFields = ({ action, changes }: Pick<Entry, 'action' | 'changes'>) => (
  <dl class="changes">
    {Object.entries(changes).map(([name, { from, to }]) => (
      <div key={name}>
        <dt>{fieldWords(name)}</dt>
        <dd>
          {action !== 'CREATED' && <del>{textOf(from)}</del>}
          {action === 'UPDATED' && <span> → </span>}
          {action !== 'DELETED' && <ins>{textOf(to)}</ins>}
        </dd>
      </div>
    ))}
  </dl>
);

const maxOpenFields = 4;

/** An edit of few fields is there at once; the values of a whole record are folded away. */
const Changes = ({ entry }: { entry: Entry }) => {
  const count = Object.keys(entry.changes).length;
  if (entry.action === 'UPDATED' && count <= maxOpenFields) return <ChangedFields {...entry} />;
  return (
    <details>
      <summary>{counted(count, 'field')}</summary>
      <ChangedFields {...entry} />
    </details>
  );
};

const LogEntry = ({ programId, entry, names }: { programId: string; entry: Entry; names: Names }) => (
  <li>
    <div class="entry">
      <State tone={tones[entry.action]}>{actionWords[entry.action]}</State>
      <Subject programId={programId} entry={entry} names={names} />
      <Time at={entry.createdAt} to="second" />
    </div>
    <Who entry={entry} names={names} />
    <Changes entry={entry} />
  </li>
);

type Filters = PageQuery<typeof showAuditLog>;

const LogFilters = ({ programId, filters, csv }: { programId: string; filters: Filters; csv: string }) => (
  <FilterForm action={auditLogPath(programId)} csv={csv}>
    <Select
      name="recordType"
      label="What"
      options={choicesOf(auditRecordTypes, typeWords)}
      chosen={filters.recordType}
    />
    <Field
      name="actor"
      label="Who"
      hint="An email, or the ID of an API key"
      initial={filters.actor ?? ''}
      filled={unfilled}
      maxLength={320}
    />
    <MoreFilters used={[filters.recordId, filters.from, filters.to, filters.sort]}>
      <Field name="recordId" label="Record ID" initial={filters.recordId ?? ''} filled={unfilled} maxLength={100} />
      <PeriodFields from={filters.from} to={filters.to} />
      <SortField sort={filters.sort} />
    </MoreFilters>
  </FilterForm>
);

export const auditLogView = (
  programId: string,
  filters: Filters,
  { part, page, names }: { part: ListPart; page: Page<Entry>; names: Names },
): View => {
  const isFiltered = Object.values(filters).some(Boolean) || part.isFurtherOn || page.next !== undefined;
  const none = isFiltered ? (
    <p class="empty">{noMatches('changes', page.next)}</p>
  ) : (
    <EmptyState title="No changes yet">Every change from now on is listed here, for 400 days.</EmptyState>
  );
  return view(
    'Audit log',
    <>
      <LogFilters programId={programId} filters={filters} csv={part.csv} />
      {page.items.length === 0 ? (
        none
      ) : (
        <ul class="log audit-log" aria-label="Changes">
          {page.items.map((entry) => (
            <LogEntry key={entry.id} programId={programId} entry={entry} names={names} />
          ))}
        </ul>
      )}
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    { lead: 'Who changed what in the last 400 days: records, settings, keys, members and endpoints.' },
  );
};

const columns: ColumnsOf<
  Omit<AuditEntry, 'actor' | 'cause' | 'updatedAt'>,
  AuditEntry,
  'actorType' | 'actorId' | 'causeActorType' | 'causeActorId' | 'causeRequestId'
> = {
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  actorType: ({ actor }) => actor?.type ?? null,
  actorId: ({ actor }) => actor?.id ?? null,
  causeActorType: ({ cause }) => cause?.actor?.type ?? null,
  causeActorId: ({ cause }) => cause?.actor?.id ?? null,
  causeRequestId: ({ cause }) => cause?.requestId ?? null,
  action: ({ action }) => action,
  recordType: ({ recordType }) => recordType,
  recordId: ({ recordId }) => recordId,
  changes: ({ changes }) => JSON.stringify(changes),
};

export const auditCsvColumns = csvColumns(columns);
