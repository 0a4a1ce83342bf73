import { type ExportedName, type ExportStatus, exportedNames } from '../../contract/exports.ts';
import { hasFile, isRunning, type StoredExport } from '../../domain/exports/export-record.ts';
import { Facts, LinkButton, Section } from '../components/blocks.tsx';
import { type Filled, PostForm } from '../components/controls.tsx';
import { currentFormats } from '../components/formats.ts';
import { HistoryLink } from '../components/history-link.tsx';
import { EmptyState, State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';

const exportsPath = (programId: string): string => `/programs/${programId}/exports`;
export const exportPath = (programId: string, exportId: string): string => `${exportsPath(programId)}/${exportId}`;

const words: Record<ExportStatus | 'EXPIRED', string> = {
  REQUESTED: 'Requested',
  RUNNING: 'Being made',
  DONE: 'Ready',
  FAILED: 'Failed',
  EXPIRED: 'Expired',
};
const tones = { REQUESTED: 'plain', RUNNING: 'plain', DONE: 'good', FAILED: 'bad', EXPIRED: 'plain' } as const;

const ExportState = ({ record, now }: { record: StoredExport; now: Date }) => {
  const shown = record.status === 'DONE' && !hasFile(record, now) ? 'EXPIRED' : record.status;
  return <State tone={tones[shown]}>{words[shown]}</State>;
};

const kindWords: Record<ExportedName, string> = {
  groups: 'Groups',
  affiliates: 'Affiliates',
  links: 'Links',
  referrals: 'Referrals',
  coupons: 'Coupons',
  'promotional-codes': 'Codes',
  sales: 'Sales',
  adjustments: 'Adjustments',
  'payout-batches': 'Payout batches',
  payouts: 'Payouts',
  assets: 'Assets',
};

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

const sizeText = (bytes: number): string => {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return new Intl.NumberFormat(currentFormats().locale, {
    style: 'unit',
    unit: sizes[step] ?? 'byte',
    maximumSignificantDigits: 3,
  }).format(bytes / 1000 ** step);
};

const recordsIn = ({ counts }: StoredExport): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const secondsBetweenLooks = 2;
const refreshing = { headers: { refresh: String(secondsBetweenLooks) } };

const ExportEverything = ({ session, programId }: { session: Session; programId: string }) => (
  <PostForm session={session} action={exportsPath(programId)}>
    <button type="submit">Export everything</button>
  </PostForm>
);

const columnsOf = (programId: string, now: Date) => [
  {
    heading: 'Requested',
    cell: (record: StoredExport) => (
      <a class="row-link" href={exportPath(programId, record.id)}>
        <Time at={record.createdAt} />
      </a>
    ),
  },
  { heading: 'Status', cell: (record: StoredExport) => <ExportState record={record} now={now} /> },
  {
    heading: 'Records',
    isNumber: true,
    cell: (record: StoredExport) => recordsIn(record).toLocaleString(currentFormats().locale),
  },
  {
    heading: 'Size',
    isNumber: true,
    cell: ({ bytes }: StoredExport) => (bytes === null ? null : sizeText(bytes)),
  },
  {
    heading: 'Available until',
    cell: ({ expiresAt }: StoredExport) => expiresAt && <Time at={expiresAt} to="day" />,
  },
];

export const exportsView = (
  { session, programId, now }: { session: Session; programId: string; now: Date },
  records: readonly StoredExport[],
  filled: Filled,
): View => {
  const runs = records.some(isRunning);
  return view(
    'Exports',
    <>
      {filled.message && (
        <p class="problem" role="alert">
          {filled.message}
        </p>
      )}
      <p>
        An export is a zip file with all records of the program: CSV files, which can be imported into another program,
        and JSON lines with everything. It is ready to be downloaded for 7 days.
      </p>
      <Table
        caption="Exports"
        items={records}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="Nothing was exported yet">
            Export everything to keep a copy of the program, or to move it elsewhere.
          </EmptyState>
        }
        columns={columnsOf(programId, now)}
      />
    </>,
    {
      actions: !runs && <ExportEverything session={session} programId={programId} />,
      ...(runs && refreshing),
    },
  );
};

const Progress = ({ record }: { record: StoredExport }) => (
  <div class="card" role="status">
    <p>
      <label for="progress">{record.status === 'REQUESTED' ? 'Waiting to begin' : 'Collecting records'} …</label>
    </p>
    <progress id="progress" value={Object.keys(record.counts).length} max={exportedNames.length + 1} />
    <p class="hint">This page refreshes itself until the file is ready. You can leave it: the export goes on.</p>
  </div>
);

const Counts = ({ record: { counts } }: { record: StoredExport }) => (
  <Section heading="Records">
    <Facts
      entries={exportedNames.map((name) => [kindWords[name], counts[name]?.toLocaleString(currentFormats().locale)])}
    />
  </Section>
);

export const exportView = (programId: string, record: StoredExport, now: Date): View => {
  const isThere = hasFile(record, now);
  return view(
    'Export',
    <>
      {isRunning(record) && <Progress record={record} />}
      {record.status === 'FAILED' && (
        <p class="problem" role="alert">
          {record.message}
        </p>
      )}
      <Facts
        entries={[
          ['Requested', <Time key="requested" at={record.createdAt} />],
          ['Size', record.bytes !== null && sizeText(record.bytes)],
          [
            'Available until',
            record.expiresAt && <Time key="until" at={record.expiresAt} />,
            isThere ? 'The file is deleted then.' : 'The file was deleted. Export everything again to get a new one.',
          ],
        ]}
      />
      {Object.keys(record.counts).length > 0 && <Counts record={record} />}
    </>,
    {
      beside: <ExportState record={record} now={now} />,
      actions: (
        <>
          <HistoryLink programId={programId} recordId={record.id} />
          {isThere && <LinkButton to={`${exportPath(programId, record.id)}/file`}>Download</LinkButton>}
        </>
      ),
      ...(isRunning(record) && refreshing),
    },
  );
};
