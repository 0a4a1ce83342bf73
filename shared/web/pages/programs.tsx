import type { Plan } from '../../programs/accounts.ts';
import type { StoredProgram } from '../../programs/repository.ts';
import { type View, view } from '../answers.ts';
import { Field, type Filled, PostForm, Table, Time } from '../controls.tsx';
import type { Session } from '../session.ts';

/** The programs of an account. */
export const programsView = (programs: readonly StoredProgram[], plan: Plan): View =>
  view(
    'Programs',
    <>
      {plan === 'FREE' && (
        <p class="note">This account is on the FREE plan, which has no API access: keys will be answered 403.</p>
      )}
      <Table
        caption="Programs"
        items={programs}
        keyOf={({ id }) => id}
        empty="There is no program on this account yet."
        columns={[
          { heading: 'Name', cell: ({ id, name }) => <a href={`/programs/${id}`}>{name}</a> },
          { heading: 'Currency', cell: ({ currency }) => currency },
          { heading: 'Default rate', cell: ({ commissionRate }) => `${commissionRate} %` },
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

/** The form for a new program. */
export const newProgramView = (session: Session, filled: Filled): View =>
  view(
    'New program',
    <PostForm session={session} action="/programs/new" filled={filled}>
      <Field name="name" label="Name" filled={filled} required maxLength={200} />
      <Field
        name="currency"
        label="Currency"
        hint="A code of three letters, such as USD"
        initial="USD"
        filled={filled}
        required
        maxLength={3}
      />
      <Field
        name="commissionRate"
        label="Default commission rate"
        hint="Percent of a sale, where neither sale nor affiliate has its own"
        initial="20"
        filled={filled}
        required
        inputMode="decimal"
      />
      <button type="submit">Create program</button>
    </PostForm>,
  );

/** A program at a glance. */
export const programView = (program: StoredProgram): View =>
  view(
    'Overview',
    <dl>
      <dt>Currency</dt>
      <dd>{program.currency}</dd>
      <dt>Default commission rate</dt>
      <dd>{program.commissionRate} %</dd>
      <dt>Created</dt>
      <dd>
        <Time at={program.createdAt} />
      </dd>
    </dl>,
  );
