import type { ComponentChildren } from 'preact';
import type { StoredImport } from '../../domain/imports/import-record.ts';
import { isWorking } from '../../domain/imports/import-record.ts';
import type { UploadPreview } from '../../domain/imports/preview-upload.ts';
import { columnsOf } from '../../domain/imports/rows/columns.ts';
import type { RowProblem } from '../../domain/imports/rows/read-rows.ts';
import type { FileRow } from '../../domain/imports/rows-of-file.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { UploadForm } from '../../platform/objects/presigned.ts';
import { Facts, Figures, LinkButton, Section } from '../components/blocks.tsx';
import { type Filled, PostForm, Select, unfilled } from '../components/controls.tsx';
import { useCanEdit } from '../components/role.tsx';
import { Table } from '../components/table.tsx';
import { counted } from '../components/text.tsx';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { countsOf, ImportState, importKindWords, importPath, importsPath } from './imports.tsx';

const secondsBetweenLooks = 2;

interface Shown {
  session: Session;
  program: StoredProgram;
  record: StoredImport;
}

const Upload = ({ form }: { form: UploadForm }) =>
  useCanEdit() ? (
    <div class="card form">
      <form class="form" method="post" action={form.url} enctype="multipart/form-data">
        {Object.entries(form.fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div class="fields">
          <div class="field wide">
            <label for="file">CSV file</label>
            <input id="file" name="file" type="file" accept=".csv,.tsv,.txt,text/csv" required />
            <p class="hint">Up to 50 MB. It is deleted after 7 days.</p>
          </div>
        </div>
        <div class="form-actions">
          <button type="submit">Upload</button>
        </div>
      </form>
    </div>
  ) : null;

const isColumn = (name: string | null): name is string => name !== null;

const valueAt = (row: FileRow, column: string): unknown => {
  if (!('accepted' in row)) return undefined;
  const { body, createdAt } = row.accepted;
  if (column === 'createdAt') return createdAt.toISOString();
  return column.split('.').reduce<unknown>((of, name) => (of as Record<string, unknown> | undefined)?.[name], body);
};

const Value = ({ value }: { value: unknown }) => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) return <Time at={value} />;
  const text = Array.isArray(value) ? value.join('; ') : String(value);
  return <span class={/\s/.test(text) ? undefined : 'email'}>{text}</span>;
};

const Problems = ({ problems }: { problems: readonly RowProblem[] }) => (
  <Table
    caption="Rows that are refused"
    items={problems.map((problem, at) => ({ ...problem, at }))}
    keyOf={({ at }) => String(at)}
    empty="No row is refused."
    columns={[
      { heading: 'Row', isNumber: true, cell: ({ row }) => row },
      { heading: 'Column', cell: ({ column }) => column },
      { heading: 'Problem', isWide: true, cell: ({ message }) => message },
    ]}
  />
);

const FirstRows = ({ rows, mapping }: Pick<UploadPreview, 'rows' | 'mapping'>) => {
  const columns = [...new Set(Object.values(mapping).filter(isColumn))];
  const accepted = rows.filter((row) => 'accepted' in row);
  const problems = rows.flatMap((row) => ('refused' in row ? row.refused.problems : []));
  return (
    <Section heading="The first rows, as they will be">
      {accepted.length > 0 && (
        <Table
          caption="First rows"
          items={accepted}
          keyOf={({ row }) => String(row)}
          empty=""
          columns={[
            { heading: 'Row', isNumber: true, cell: ({ row }) => row },
            ...columns.map((column) => ({
              heading: column,
              cell: (row: FileRow) => <Value value={valueAt(row, column)} />,
            })),
          ]}
        />
      )}
      {problems.length > 0 && <Problems problems={problems} />}
    </Section>
  );
};

const Columns = ({ shown, preview, filled }: { shown: Shown; preview: UploadPreview; filled: Filled }) => {
  const { session, program, record } = shown;
  const names = columnsOf(record.importKind).flatMap(({ name, type }) => (type === 'metadata' ? [] : [name]));
  return (
    <Section heading="Columns">
      <div class="card form">
        <PostForm session={session} action={`${importPath(program.id, record.id)}/plan`} filled={filled}>
          <input type="hidden" name="etag" value={preview.etag} />
          <div class="fields">
            {preview.headers.map((header, at) => {
              const chosen = preview.mapping[header] ?? '';
              const options = [...new Set([...names, chosen].filter(Boolean))];
              return (
                <Select
                  key={header}
                  name={`header${at}`}
                  label={header}
                  options={[
                    { value: '', label: 'Do not import' },
                    ...options.map((value) => ({ value, label: value })),
                  ]}
                  chosen={chosen}
                  filled={filled}
                />
              );
            })}
          </div>
          <p class="hint">The next page says what would happen to each row. Nothing is imported yet.</p>
          <div class="form-actions">
            <button type="submit">Check all rows</button>
            <a href={importsPath(program.id)}>Cancel</a>
          </div>
        </PostForm>
      </div>
    </Section>
  );
};

const Cancel = ({ shown: { session, program, record }, children }: { shown: Shown; children: ComponentChildren }) => (
  <PostForm session={session} action={`${importPath(program.id, record.id)}/cancel`}>
    <button class="quiet" type="submit">
      {children}
    </button>
  </PostForm>
);

const Progress = ({ record }: { record: StoredImport }) => {
  const rows = record.rowCount;
  return (
    <div class="card" role="status">
      <p>
        <label for="progress">
          {record.status === 'RUNNING' ? 'Importing' : 'Checking'} …{' '}
          {record.position > 1 && `${(record.position - 1).toLocaleString('en')} rows so far`}
        </label>
      </p>
      {rows === null ? <progress id="progress" /> : <progress id="progress" value={record.position - 1} max={rows} />}
      <p class="hint">This page refreshes itself. You can leave it: the import goes on.</p>
    </div>
  );
};

const Counts = ({ record }: { record: StoredImport }) => {
  const { created, updated, unchanged, refused } = countsOf(record);
  return (
    <Figures
      entries={[
        [record.status === 'PLANNED' ? 'To create' : 'Created', created.toLocaleString('en')],
        [record.status === 'PLANNED' ? 'To update' : 'Updated', updated.toLocaleString('en')],
        ['Unchanged', unchanged.toLocaleString('en')],
        ['Refused', refused.toLocaleString('en')],
      ]}
    />
  );
};

const facts = ({ fileName, importKind, makesEvents, createdAt, finishedAt, message }: StoredImport) => (
  <Facts
    entries={[
      ['Problem', message],
      ['File', fileName !== importKindWords[importKind] && fileName],
      ['Rows are', importKindWords[importKind]],
      ['Webhooks', makesEvents ? 'Sent for what is imported' : 'Not sent'],
      ['Started', <Time key="started" at={createdAt} />],
      ['Ended', finishedAt && <Time key="ended" at={finishedAt} />],
    ]}
  />
);

const titleOf = ({ importKind }: StoredImport): string => `Import of ${importKindWords[importKind].toLowerCase()}`;

/** An import whose file is not there yet. `problem` says why the uploaded one cannot be read. */
export const uploadView = (shown: Shown, form: UploadForm, problem: string | undefined): View =>
  view(
    titleOf(shown.record),
    <>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <Upload form={form} />
    </>,
    { formTargets: [new URL(form.url).origin], actions: <Cancel shown={shown}>Discard</Cancel> },
  );

export const columnsView = (shown: Shown, form: UploadForm, preview: UploadPreview, filled: Filled = unfilled): View =>
  view(
    titleOf(shown.record),
    <>
      {preview.missing.length > 0 && (
        <p class="problem" role="alert">
          Every row needs {preview.missing.join(' and ')}. Choose {counted(preview.missing.length, 'header')} for it
          below.
        </p>
      )}
      <Columns shown={shown} preview={preview} filled={filled} />
      {preview.rows.length > 0 && <FirstRows rows={preview.rows} mapping={preview.mapping} />}
      <Section heading="Another file">
        <Upload form={form} />
      </Section>
    </>,
    { formTargets: [new URL(form.url).origin], actions: <Cancel shown={shown}>Discard</Cancel> },
  );

export const maxProblemsShown = 50;

export const importView = (shown: Shown, problems: readonly RowProblem[]): View => {
  const { session, program, record } = shown;
  const path = importPath(program.id, record.id);
  const working = isWorking(record.status);
  const isPlanned = record.status === 'PLANNED';
  const { created, updated, refused } = countsOf(record);
  return view(
    titleOf(record),
    <>
      {working && <Progress record={record} />}
      <Counts record={record} />
      {isPlanned && (
        <div class="card form">
          <PostForm session={session} action={`${path}/run`}>
            <p>
              {created + updated > 0
                ? `Nothing is imported yet. ${counted(created + updated, 'row')} will be.`
                : 'There is nothing to import: every row is there already, or refused.'}
            </p>
            <div class="form-actions">
              {created + updated > 0 && <button type="submit">Import {counted(created + updated, 'row')}</button>}
              <a href={`${path}?columns=choose`}>Change columns</a>
            </div>
          </PostForm>
        </div>
      )}
      {facts(record)}
      {refused > 0 && (
        <Section heading={isPlanned ? 'Rows that will be refused' : 'Refused rows'}>
          <Problems problems={problems} />
          {refused > maxProblemsShown && (
            <p class="hint">These are the first {maxProblemsShown}. The report has all.</p>
          )}
        </Section>
      )}
    </>,
    {
      beside: <ImportState status={record.status} />,
      actions: (
        <>
          {!working && created + updated + refused > 0 && (
            <LinkButton needs="VIEWER" quiet to={`${path}/report.csv`}>
              Download report
            </LinkButton>
          )}
          {(working || isPlanned) && <Cancel shown={shown}>{working ? 'Cancel import' : 'Discard'}</Cancel>}
        </>
      ),
      ...(working && { headers: { refresh: String(secondsBetweenLooks) } }),
    },
  );
};
