import { type MailKind, type MailKindDefinition, mailKinds, mails } from '../../contract/mails.ts';
import { hasOwnTexts } from '../../domain/programs/change-mail-settings.ts';
import { mailSettingsOf, sendsKind, settingsOfKind, writesMails } from '../../domain/programs/mail-settings.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { sendsMails } from '../../platform/mail/sends-mails.ts';
import { FormCard, Section } from '../components/blocks.tsx';
import { Field, type Filled, PostForm, TickBox } from '../components/controls.tsx';
import { HistoryLink } from '../components/history-link.tsx';
import { State, Table } from '../components/table.tsx';
import { type View, view } from '../responses.ts';
import type { Session } from '../session/session.ts';

export const mailsPath = (programId: string): string => `/programs/${programId}/settings/mails`;
export const mailPath = (programId: string, kind: MailKind): string => `${mailsPath(programId)}/${kind}`;

export interface Place {
  session: Session;
  program: StoredProgram;
}

const receivers = { MEMBER: 'Members', AFFILIATE: 'Affiliates', APPLICANT: 'Applicants' } as const satisfies Record<
  MailKindDefinition['to'],
  string
>;

const NoMails = () =>
  sendsMails() ? null : (
    <p class="note warn">
      No mails are sent here: the operator of this service has not set an address to send them from.
    </p>
  );

const NotWritten = ({ program }: { program: StoredProgram }) =>
  writesMails(program) ? null : (
    <p class="note">On the FREE plan mails have the usual texts, and come from {program.name}.</p>
  );

const OnOrOff = ({ program, kind }: { program: StoredProgram; kind: MailKind }) =>
  sendsKind(program, kind) ? <State tone="good">On</State> : <State tone="plain">Off</State>;

const SenderForm = ({ session, program, filled }: Place & { filled: Filled }) => {
  const { senderName, replyTo } = mailSettingsOf(program);
  return (
    <div class="card form">
      <h2>Sender</h2>
      <PostForm session={session} action={mailsPath(program.id)} needs="OWNER" filled={filled}>
        <div class="fields">
          {writesMails(program) && (
            <Field
              name="senderName"
              label="Sender’s name"
              hint={`Without one, mails come from ${program.name}.`}
              initial={senderName ?? ''}
              filled={filled}
              maxLength={80}
            />
          )}
          <Field
            name="replyTo"
            label="Reply address"
            hint="Where replies go. Without one, nobody reads them."
            initial={replyTo ?? ''}
            filled={filled}
            maxLength={254}
            inputMode="email"
          />
        </div>
        <div class="form-actions">
          <button type="submit">Save</button>
        </div>
      </PostForm>
    </div>
  );
};

export const mailsView = ({ session, program }: Place, filled: Filled): View => {
  return view(
    'Mails',
    <>
      <NoMails />
      <NotWritten program={program} />
      <Table
        caption="Mails"
        items={mailKinds}
        keyOf={(kind) => kind}
        empty=""
        columns={[
          {
            heading: 'Mail',
            cell: (kind) => (
              <a class="row-link" href={mailPath(program.id, kind)}>
                {mails[kind].label}
              </a>
            ),
          },
          { heading: 'To', cell: (kind) => receivers[mails[kind].to] },
          { heading: 'State', cell: (kind) => <OnOrOff program={program} kind={kind} /> },
        ]}
      />
      <SenderForm session={session} program={program} filled={filled} />
    </>,
    {
      lead: 'What the program writes to its members, affiliates and applicants.',
      actions: <HistoryLink programId={program.id} recordId={program.id} />,
    },
  );
};

const consequenceOf: Partial<Record<MailKind, string>> = {
  PORTAL_SIGN_IN: 'While it is off, affiliates cannot sign in to the portal.',
  MEMBER_INVITATION:
    'While it is off, invited people find the invitation after signing in. Its text is that of this service, because it goes to people who may not know you.',
};

const TextFields = ({ program, kind, filled }: { program: StoredProgram; kind: MailKind; filled: Filled }) => {
  const { subject, opening } = settingsOfKind(program, kind);
  const standard = mails[kind];
  return (
    <>
      <Field
        name="subject"
        label="Subject"
        hint="{program} stands for the program’s name. Empty, it is the usual one again."
        initial={subject ?? standard.subject}
        filled={filled}
        maxLength={150}
        isWide
      />
      <Field
        name="opening"
        label="Opening text"
        hint="What the mail begins with, in one paragraph. What follows it is the same for every program."
        initial={opening ?? standard.opening}
        filled={filled}
        lines={4}
        maxLength={600}
      />
    </>
  );
};

const TestForm = ({ session, program, kind }: Place & { kind: MailKind }) =>
  sendsMails() ? (
    <PostForm session={session} action={`${mailPath(program.id, kind)}/test`} needs="OWNER">
      <button class="quiet" type="submit">
        Send a test to me
      </button>
    </PostForm>
  ) : null;

export const mailView = (
  { session, program }: Place,
  { kind, shownSubject }: { kind: MailKind; shownSubject: string },
  filled: Filled,
): View => {
  const path = mailPath(program.id, kind);
  const { label, to } = mails[kind];
  const isOn = filled.message === undefined ? sendsKind(program, kind) : 'isOn' in filled.values;
  return view(
    label,
    <>
      <NoMails />
      <NotWritten program={program} />
      <FormCard session={session} action={path} button="Save" back={mailsPath(program.id)} filled={filled}>
        <div class="wide">
          <TickBox name="isOn" label={`Send this mail to ${receivers[to].toLowerCase()}`} checked={isOn} />
          {consequenceOf[kind] && <p class="hint">{consequenceOf[kind]}</p>}
        </div>
        {hasOwnTexts(kind, program) && <TextFields program={program} kind={kind} filled={filled} />}
      </FormCard>
      <Section heading="Preview" actions={<TestForm session={session} program={program} kind={kind} />}>
        <p>
          <strong>{shownSubject}</strong>
        </p>
        <p class="hint">As it was saved last, with sample data.</p>
        <iframe class="mail-preview" title={`Preview of the mail ${label}`} src={`${path}/preview`} sandbox="" />
      </Section>
    </>,
    { hasFrame: true, actions: <HistoryLink programId={program.id} recordId={program.id} /> },
  );
};
