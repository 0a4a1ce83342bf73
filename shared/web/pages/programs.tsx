import type { Account } from '../../domain/programs/accounts.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { standardAccent } from '../accent.ts';
import { EmptyState, Field, type Filled, PostForm, Table, TickBox } from '../controls.tsx';
import { Paging } from '../list-controls.tsx';
import type { ListPart } from '../list-part.ts';
import { PlanNote } from '../plan.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session.ts';
import { Time } from '../time.tsx';
import { leavingPath } from './members.tsx';

const NewProgram = () => (
  <a class="button" href="/programs/new">
    New program
  </a>
);

/** `next` is the position after which there are more programs of others. */
export const programsView = (
  programs: readonly StoredProgram[],
  part: ListPart,
  next: string | undefined,
  { email, plan }: Account,
): View =>
  view(
    'Programs',
    <>
      <PlanNote plan={plan} />
      <Table
        caption="Programs"
        items={programs}
        keyOf={({ id }) => id}
        empty={
          part.isFurtherOn || next ? (
            'No programs on this page of the list.'
          ) : (
            <EmptyState title="Create your first program" action={<NewProgram />}>
              A program has its own affiliates, codes, sales and payouts, in one currency.
            </EmptyState>
          )
        }
        columns={[
          {
            heading: 'Name',
            cell: ({ id, name, ownerEmail }) => (
              <>
                <a class="row-link" href={`/programs/${id}`}>
                  {name}
                </a>
                {ownerEmail !== email && (
                  <div class="hint">
                    Owned by {ownerEmail} ·{' '}
                    <a href={leavingPath(id)} aria-label={`Leave ${name}`}>
                      Leave
                    </a>
                  </div>
                )}
              </>
            ),
          },
          { heading: 'Currency', cell: ({ currency }) => currency },
          { heading: 'Default rate', isNumber: true, cell: ({ commissionRate }) => `${commissionRate} %` },
          { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} to="day" /> },
        ]}
      />
      <Paging part={part} next={next} />
    </>,
    programs.length > 0 ? { actions: <NewProgram /> } : {},
  );

type Beginning = Pick<StoredProgram, 'name' | 'currency' | 'commissionRate'>;

const ProgramFields = ({ beginning, filled }: { beginning: Beginning; filled: Filled }) => (
  <div class="fields">
    <Field name="name" label="Name" initial={beginning.name} filled={filled} required maxLength={200} isWide />
    <Field
      name="currency"
      label="Currency"
      hint="Three letters, such as USD. Cannot be changed after the first sale."
      initial={beginning.currency}
      filled={filled}
      required
      maxLength={3}
    />
    <Field
      name="commissionRate"
      label="Default commission rate"
      hint="Used unless the affiliate or the sale has its own rate"
      initial={String(beginning.commissionRate)}
      filled={filled}
      required
      inputMode="decimal"
      unit="%"
    />
  </div>
);

export const newProgramView = (session: Session, filled: Filled): View =>
  view(
    'New program',
    <div class="card form">
      <PostForm session={session} action="/programs/new" filled={filled}>
        <ProgramFields beginning={{ name: '', currency: 'USD', commissionRate: 20 }} filled={filled} />
        <div class="form-actions">
          <button type="submit">Create program</button>
          <a href="/programs">Cancel</a>
        </div>
      </PostForm>
    </div>,
  );

export const programSettingsPath = (programId: string): string => `/programs/${programId}/settings`;

export const programSettingsView = (session: Session, program: StoredProgram, filled: Filled): View =>
  view(
    'Settings',
    <div class="card form">
      <PostForm session={session} action={programSettingsPath(program.id)} filled={filled}>
        <ProgramFields beginning={program} filled={filled} />
        <Field
          name="baseUrls"
          label="Base URLs"
          hint="The pages that affiliates send people to, one per line, such as https://shop.example/. Each affiliate link is shown with its full address on every page."
          initial={program.baseUrls.join('\n')}
          filled={filled}
          lines={4}
          maxLength={5000}
        />
        <Field
          name="accentColor"
          label="Accent color"
          hint="The color of buttons and links on this program’s pages and statements. It is made darker or lighter where text would be hard to read."
          initial={program.accentColor ?? standardAccent}
          filled={filled}
          type="color"
        />
        <TickBox
          name="allowSelfReferral"
          label="Affiliates may be credited for their own purchases"
          checked={'name' in filled.values ? 'allowSelfReferral' in filled.values : program.allowSelfReferral}
        />
        <div class="form-actions">
          <button type="submit">Save</button>
        </div>
      </PostForm>
    </div>,
  );
