import type { StoredErasure } from '../../domain/privacy/erasure-record.ts';
import type { FoundPerson } from '../../domain/privacy/find-person.ts';
import { erasureResponse } from '../../domain/privacy/start-erasure.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { Facts, Section } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, PostForm } from '../components/controls.tsx';
import { State, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';

interface Place {
  session: Session;
  program: StoredProgram;
}

const privacyPath = (programId: string): string => `/programs/${programId}/settings/privacy`;
export const erasurePath = (programId: string, id: string): string => `${privacyPath(programId)}/erasures/${id}`;

const ErasureState = ({ status }: Pick<StoredErasure, 'status'>) =>
  status === 'DONE' ? <State tone="good">Done</State> : <State tone="warn">Running</State>;

export const privacyView = ({ session, program }: Place, erasures: readonly StoredErasure[], filled: Filled): View =>
  view(
    'Privacy',
    <>
      <div class="card form">
        <PostForm session={session} action={`${privacyPath(program.id)}/find`} needs="OWNER" filled={filled}>
          <div class="fields">
            <Field
              name="email"
              label="Email of the person"
              hint="An affiliate or a customer. Nothing is changed yet."
              filled={filled}
              required
              maxLength={254}
              inputMode="email"
            />
          </div>
          <div class="form-actions">
            <button type="submit">Find</button>
          </div>
        </PostForm>
      </div>
      <Section heading="Erasures">
        <Table
          caption="Erasures"
          items={erasures}
          keyOf={({ id }) => id}
          empty="Nobody has been erased yet."
          columns={[
            {
              heading: 'Requested',
              cell: ({ id, createdAt }) => (
                <a class="row-link" href={erasurePath(program.id, id)}>
                  <Time at={createdAt} />
                </a>
              ),
            },
            { heading: 'State', cell: ({ status }) => <ErasureState status={status} /> },
            { heading: 'Records', isNumber: true, cell: (erasure) => erasureResponse(erasure).records },
          ]}
        />
      </Section>
    </>,
    { lead: 'Show a person what this program keeps about them, or erase them.' },
  );

const labels = {
  AFFILIATE: 'Affiliates',
  LINK: 'Links',
  PROMOTIONAL_CODE: 'Promotional codes',
  REFERRAL: 'Referrals',
  SALE: 'Sales',
} as const;

const countsOf = ({ records, events }: FoundPerson): [string, number][] => {
  const live = Object.entries(labels).map(([kind, label]): [string, number] => [
    label,
    records.filter(({ type, isDeleted }) => type === kind && !isDeleted).length,
  ]);
  return [...live, ['Deleted records', records.filter(({ isDeleted }) => isDeleted).length], ['Events', events.length]];
};

const shownCounts = (counts: readonly (readonly [string, number])[]): [string, string][] =>
  counts.map(([label, count]) => [label, String(count)]);

const DownloadForm = ({ session, program, email }: Place & { email: string }) => (
  <div class="card form">
    <PostForm session={session} action={`${privacyPath(program.id)}/download`} needs="OWNER">
      <input type="hidden" name="email" value={email} />
      <p>A file with these records and events, to give to the person.</p>
      <div class="form-actions">
        <button class="quiet" type="submit">
          Download JSON
        </button>
      </div>
    </PostForm>
  </div>
);

const ErasureForm = ({ session, program, email, filled }: Place & { email: string; filled: Filled }) => (
  <Confirmation
    session={session}
    action={`${privacyPath(program.id)}/erase`}
    button="Erase person"
    back={privacyPath(program.id)}
    needs="OWNER"
    filled={filled}
  >
    <p>This cannot be undone:</p>
    <ul>
      <li>
        names, emails, notes and metadata are replaced in records, events, the audit log and responses of endpoints
      </li>
      <li>an affiliate is deactivated; the texts of their links and codes are replaced and stop working</li>
      <li>amounts stay. Pay the affiliate first: the address of the payout is erased too</li>
    </ul>
    <input type="hidden" name="email" value={email} />
    <Field
      name="confirmation"
      label="Email of the person"
      hint={
        <>
          To confirm, type <strong class="email">{email}</strong>
        </>
      }
      filled={filled}
      required
      maxLength={254}
      inputMode="email"
    />
  </Confirmation>
);

export const foundPersonView = (place: Place, email: string, found: FoundPerson, filled: Filled): View =>
  view(
    email,
    <>
      <Facts entries={shownCounts(countsOf(found))} />
      {!found.isComplete && (
        <p class="hint">
          This program is too large to be searched while you wait, so there may be more. An erasure finds all of it.
        </p>
      )}
      <Section heading="What is known of this person">
        <DownloadForm {...place} email={email} />
      </Section>
      <Section heading="Erase this person">
        <ErasureForm {...place} email={email} filled={filled} />
      </Section>
    </>,
  );

const secondsBetweenLooks = 3;

export const erasureView = (erasure: StoredErasure): View => {
  const { records, erased, remains, status } = erasureResponse(erasure);
  const isRunning = status === 'RUNNING';
  return view(
    'Erasure',
    <>
      {isRunning && <p class="hint">This page refreshes itself until all is erased.</p>}
      <Facts
        entries={[
          ['Requested', <Time key="requested" at={erasure.createdAt} />],
          ['Ended', erasure.endedAt && <Time key="ended" at={erasure.endedAt} />],
          ['Records', String(records)],
          ...shownCounts([
            ['Affiliates', erased.affiliates],
            ['Links', erased.links],
            ['Promotional codes', erased.promotionalCodes],
            ['Referrals', erased.referrals],
            ['Sales', erased.sales],
            ['Deleted records', erased.deletedRecords],
            ['Events', erased.events],
            ['Audit log entries', erased.auditEntries],
            ['Deliveries', erased.deliveries],
          ]),
        ]}
      />
      <Section heading="What remains">
        <div class="card">
          <ul>
            {remains.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      </Section>
    </>,
    {
      beside: <ErasureState status={status} />,
      ...(isRunning && { headers: { refresh: String(secondsBetweenLooks) } }),
    },
  );
};
