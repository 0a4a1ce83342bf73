import { type ImportKind, type ImportStatus, importKinds, importPresets } from '../../contract/imports.ts';
import type { importPages } from '../../contract/pages/imports.ts';
import type { Counts, StoredImport } from '../../domain/imports/import-record.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { Page } from '../../platform/table/page.ts';
import { FormCard, LinkButton } from '../components/blocks.tsx';
import { type Filled, optionsOf, Select, TickBox } from '../components/controls.tsx';
import { EmptyState, State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { ControlsOf } from '../forms/form-controls.tsx';
import { Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';

export const importsPath = (programId: string): string => `/programs/${programId}/imports`;
export const importPath = (programId: string, importId: string): string => `${importsPath(programId)}/${importId}`;
const newImportPath = (programId: string, kind: ImportKind): string => `${importsPath(programId)}/new?kind=${kind}`;

export const importKindWords = {
  affiliates: 'Affiliates',
  links: 'Links',
  referrals: 'Referrals',
  coupons: 'Coupons',
  codes: 'Codes',
  sales: 'Sales',
} as const satisfies Record<ImportKind, string>;

const presetWords = { rewardful: 'Rewardful', firstpromoter: 'FirstPromoter', tolt: 'Tolt', dub: 'Dub' } as const;

const statusWords = {
  UPLOADING: 'Waiting for the file',
  PLANNING: 'Checking',
  PLANNED: 'Ready to import',
  RUNNING: 'Importing',
  DONE: 'Done',
  CANCELLED: 'Cancelled',
  FAILED: 'Failed',
} as const satisfies Record<ImportStatus, string>;

const tones = {
  UPLOADING: 'plain',
  PLANNING: 'warn',
  PLANNED: 'warn',
  RUNNING: 'warn',
  DONE: 'good',
  CANCELLED: 'plain',
  FAILED: 'bad',
} as const;

export const ImportState = ({ status }: { status: ImportStatus }) => (
  <State tone={tones[status]}>{statusWords[status]}</State>
);

/** The counts of the run, or of the dry run as long as there is no other. */
export const countsOf = ({ status, planned, done }: StoredImport): Counts =>
  status === 'RUNNING' || status === 'DONE' || Object.values(done).some(Boolean) ? done : planned;

export const ImportButton = ({ programId, kind }: { programId: string; kind: ImportKind }) => (
  <LinkButton quiet to={newImportPath(programId, kind)}>
    Import
  </LinkButton>
);

const NewImport = ({ programId }: { programId: string }) => (
  <LinkButton to={`${importsPath(programId)}/new`}>Import a file</LinkButton>
);

export const importsView = ({ id: programId }: StoredProgram, part: ListPart, page: Page<StoredImport>): View =>
  view(
    'Imports',
    <>
      <Table
        caption="Imports"
        items={page.items}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="Bring your history" action={<NewImport programId={programId} />}>
            Import affiliates, codes and years of sales from a CSV file, with what was refunded and paid. Files of
            Rewardful, FirstPromoter, Tolt and Dub are read as they are.
          </EmptyState>
        }
        columns={[
          {
            heading: 'File',
            cell: ({ id, fileName }) => (
              <a class="row-link" href={importPath(programId, id)}>
                {fileName}
              </a>
            ),
          },
          { heading: 'Status', cell: ({ status }) => <ImportState status={status} /> },
          { heading: 'Created', isNumber: true, cell: (one) => countsOf(one).created },
          { heading: 'Updated', isNumber: true, isForDesk: true, cell: (one) => countsOf(one).updated },
          { heading: 'Unchanged', isNumber: true, isForDesk: true, cell: (one) => countsOf(one).unchanged },
          { heading: 'Refused', isNumber: true, cell: (one) => countsOf(one).refused },
          { heading: 'Started', isForDesk: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
      <Paging part={part} next={page.next} shown={page.items.length} />
    </>,
    { actions: page.items.length > 0 && <NewImport programId={programId} /> },
  );

const importControls = (kind: ImportKind, filled: Filled): ControlsOf<typeof importPages, 'addImport'> => ({
  kind: (
    <Select
      name="kind"
      label="What is in the file"
      hint="Affiliates first, then links, coupons, codes, referrals and sales"
      options={optionsOf(importKinds, importKindWords)}
      chosen={kind}
      filled={filled}
    />
  ),
  preset: (
    <Select
      name="preset"
      label="Where it comes from"
      hint="The names of the columns are recognized, and can be changed"
      options={[{ value: '', label: 'A spreadsheet, or another product' }, ...optionsOf(importPresets, presetWords)]}
      chosen=""
      filled={filled}
    />
  ),
  makesEvents: (
    <TickBox
      name="makesEvents"
      label="Send webhooks for what is imported"
      checked={filled.values.makesEvents === 'on'}
    />
  ),
});

export const newImportView = (
  { session, program }: { session: Session; program: StoredProgram },
  kind: ImportKind | undefined,
  filled: Filled,
): View => {
  const path = importsPath(program.id);
  return view(
    'Import a file',
    <>
      <FormCard session={session} action={`${path}/new`} button="Continue" back={path} filled={filled}>
        {Object.values(importControls(kind ?? 'affiliates', filled))}
      </FormCard>
      <p class="hint">
        Templates to fill in:{' '}
        {importKinds.map((one, at) => (
          <>
            {at > 0 && ', '}
            <a href={`${path}/template.csv?kind=${one}`}>{importKindWords[one]}</a>
          </>
        ))}
      </p>
    </>,
    {
      lead: 'A CSV file of up to 50,000 rows and 50 MB. Nothing is imported before you have seen what would happen.',
    },
  );
};
