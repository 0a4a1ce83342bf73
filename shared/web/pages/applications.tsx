import { fullName, isWaiting, type StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { mailsKind, writesMails } from '../../domain/programs/mail-settings.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import type { Page } from '../../platform/table/page.ts';
import { type Entry, Facts, LinkButton, Section } from '../components/blocks.tsx';
import { Confirmation, Field, type Filled, PostForm } from '../components/controls.tsx';
import { EmptyState } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { Paging } from '../lists/list-controls.tsx';
import type { ListPart } from '../lists/list-part.ts';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';
import { AffiliateTabs, affiliatePath, affiliatesPath } from './affiliates.tsx';

export const applicationsPath = (programId: string): string => `${affiliatesPath(programId)}/applications`;

interface Place {
  session: Session;
  program: StoredProgram;
}

const decisionPath = (programId: string, affiliateId: string): string =>
  `${affiliatePath(programId, affiliateId)}/application`;

export const DecisionButtons = ({ session, program, affiliate }: Place & { affiliate: StoredAffiliate }) => {
  const path = decisionPath(program.id, affiliate.id);
  return (
    <>
      <PostForm session={session} action={path}>
        <input type="hidden" name="decision" value="APPROVE" />
        <button type="submit" aria-label={`Approve ${fullName(affiliate)}`}>
          Approve
        </button>
      </PostForm>
      <LinkButton danger to={path}>
        Decline
      </LinkButton>
    </>
  );
};

const decisionWords = { WAITING: 'Waits for your decision', APPROVED: 'Approved', DECLINED: 'Declined' } as const;

const entriesOf = ({ application }: StoredAffiliate): Entry[] => {
  if (!application) return [];
  const { status, appliedAt, decidedAt, entries, terms, message } = application;
  return [
    ['Application', decisionWords[status], decidedAt && <Time at={decidedAt} />],
    ['Applied', <Time key="applied" at={appliedAt} />],
    ...entries.map(
      ({ question, text }): Entry => [
        question,
        <span key={question} class="entered">
          {text}
        </span>,
      ],
    ),
    [
      'Terms',
      terms && `Version ${terms.version} accepted`,
      terms && (
        <>
          This version is of <Time at={terms.changedAt} to="day" />
        </>
      ),
    ],
    [
      'Text of the decline',
      message && (
        <span key="message" class="entered">
          {message}
        </span>
      ),
    ],
  ];
};

/** What somebody entered to become an affiliate; nothing of those who did not apply. */
export const ApplicationOf = ({ affiliate }: { affiliate: StoredAffiliate }) =>
  affiliate.application && (
    <Section heading="Application">
      <Facts entries={entriesOf(affiliate)} />
    </Section>
  );

const Waiting = ({ session, program, affiliate }: Place & { affiliate: StoredAffiliate }) => (
  <section class="application" aria-label={fullName(affiliate)}>
    <div class="section">
      <h2>
        <a href={affiliatePath(program.id, affiliate.id)}>{fullName(affiliate)}</a>
      </h2>
      <div class="actions">
        <DecisionButtons session={session} program={program} affiliate={affiliate} />
      </div>
    </div>
    <Facts entries={[['Email', affiliate.email], ...entriesOf(affiliate).slice(1)]} />
  </section>
);

const None = ({ applicationForm, portalIsOn }: Pick<StoredProgram, 'applicationForm' | 'portalIsOn'>) => (
  <EmptyState title="No applications wait">
    {applicationForm?.isOpen && portalIsOn
      ? 'Whoever applies appears here, with what they entered.'
      : `The ${portalIsOn ? 'application form' : 'portal'} is off. Owners switch it on in Settings > Portal.`}
  </EmptyState>
);

/** What the mail of a decision needs. */
const noMail = 'No mail is sent: tell applicants yourself what you decided.';

const leadOf = (program: StoredProgram): string => {
  const mailsApproval = mailsKind(program, 'APPLICATION_APPROVED');
  const mailsDecline = mailsKind(program, 'APPLICATION_DECLINED');
  if (!mailsApproval && !mailsDecline) return noMail;
  const isOfBoth = mailsApproval && mailsDecline;
  const when = isOfBoth
    ? 'with your decision'
    : `if you ${mailsApproval ? 'approve' : 'decline'} them, and none otherwise`;
  return `They wait to become affiliates, and get a mail ${when}.`;
};

const DeclineText = ({ program, filled }: { program: StoredProgram; filled: Filled }) => {
  if (!mailsKind(program, 'APPLICATION_DECLINED')) return <p class="hint">{noMail}</p>;
  if (!writesMails(program)) return <p class="hint">They get a mail. On the FREE plan it has the usual text.</p>;
  return (
    <Field
      name="message"
      label="A text for them (optional)"
      hint="It is in the mail that tells them."
      filled={filled}
      lines={4}
      maxLength={1000}
    />
  );
};

export const applicationsView = (place: Place, part: ListPart, page: Page<StoredAffiliate>): View => {
  const { program } = place;
  const waiting = page.items.filter(isWaiting);
  return view(
    'Applications',
    <>
      <AffiliateTabs programId={program.id} current={applicationsPath(program.id)} />
      {waiting.length === 0 && !page.next ? (
        <None {...program} />
      ) : (
        waiting.map((affiliate) => <Waiting key={affiliate.id} {...place} affiliate={affiliate} />)
      )}
      <Paging part={part} next={page.next} shown={waiting.length} />
    </>,
    { lead: leadOf(program) },
  );
};

export const declineView = ({ session, program }: Place, affiliate: StoredAffiliate, filled: Filled): View =>
  view(
    `Decline ${fullName(affiliate)}?`,
    <Confirmation
      session={session}
      action={decisionPath(program.id, affiliate.id)}
      button="Decline"
      back={applicationsPath(program.id)}
      filled={filled}
    >
      <input type="hidden" name="decision" value="DECLINE" />
      <p>They stay inactive, and may apply again after 30 days.</p>
      <DeclineText program={program} filled={filled} />
    </Confirmation>,
    { trail: [{ label: 'Applications', path: applicationsPath(program.id) }] },
  );
