import type { Plan } from '../../domain/programs/accounts.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { Field, type Filled, PostForm, Table, TickBox, Time } from '../controls.tsx';
import { PlanNote } from '../plan.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session.ts';

export const programsView = (programs: readonly StoredProgram[], plan: Plan): View =>
  view(
    'Programs',
    <>
      <PlanNote plan={plan} />
      <Table
        caption="Programs"
        items={programs}
        keyOf={({ id }) => id}
        empty="There is no program on this account yet."
        columns={[
          { heading: 'Name', cell: ({ id, name }) => <a href={`/programs/${id}`}>{name}</a> },
          { heading: 'Currency', cell: ({ currency }) => currency },
          { heading: 'Default rate', isNumber: true, cell: ({ commissionRate }) => `${commissionRate} %` },
          { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
      <p>
        <a class="button" href="/programs/new">
          New program
        </a>
      </p>
    </>,
  );

type Beginning = Pick<StoredProgram, 'name' | 'currency' | 'commissionRate'>;

const ProgramFields = ({ beginning, filled }: { beginning: Beginning; filled: Filled }) => (
  <>
    <Field name="name" label="Name" initial={beginning.name} filled={filled} required maxLength={200} />
    <Field
      name="currency"
      label="Currency"
      hint="A code of three letters, such as USD. Cannot be changed after the first sale."
      initial={beginning.currency}
      filled={filled}
      required
      maxLength={3}
    />
    <Field
      name="commissionRate"
      label="Default commission rate"
      hint="Percent of a sale, where neither sale nor affiliate has its own"
      initial={String(beginning.commissionRate)}
      filled={filled}
      required
      inputMode="decimal"
    />
  </>
);

export const newProgramView = (session: Session, filled: Filled): View =>
  view(
    'New program',
    <PostForm session={session} action="/programs/new" filled={filled}>
      <ProgramFields beginning={{ name: '', currency: 'USD', commissionRate: 20 }} filled={filled} />
      <button type="submit">Create program</button>
    </PostForm>,
  );

export const programSettingsPath = (programId: string): string => `/programs/${programId}/settings`;

export const programSettingsView = (
  session: Session,
  program: StoredProgram,
  filled: Filled,
  { wasSaved = false } = {},
): View =>
  view(
    'Settings',
    <>
      {wasSaved && (
        <p class="note" role="status">
          Saved.
        </p>
      )}
      <PostForm session={session} action={programSettingsPath(program.id)} filled={filled}>
        <ProgramFields beginning={program} filled={filled} />
        <Field
          name="baseUrls"
          label="Base URLs"
          hint="The pages that affiliates link to, one per line. Every link shows its full address on each of them."
          initial={program.baseUrls.join('\n')}
          filled={filled}
          lines={4}
          maxLength={5000}
        />
        <TickBox
          name="allowSelfReferral"
          label="Affiliates may be credited for their own purchases"
          checked={'name' in filled.values ? 'allowSelfReferral' in filled.values : program.allowSelfReferral}
        />
        <button type="submit">Save</button>
      </PostForm>
    </>,
  );
