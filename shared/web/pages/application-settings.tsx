import { applicationBounds } from '../../contract/applications.ts';
import { type ApplicationForm, noForm } from '../../domain/programs/application-form.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { Section } from '../components/blocks.tsx';
import { Field, type Filled, PostForm, TickBox, unfilled } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Time } from '../components/time.tsx';
import { type View, view } from '../responses.ts';
import { addressOf } from '../session/app-url.ts';
import type { Session } from '../session/session.ts';
import { portalPath } from './portal-path.ts';
import { portalSettingsPath } from './portal-settings.tsx';

export const applicationSettingsPath = (programId: string): string => `${portalSettingsPath(programId)}/application`;

const emptyRows = 2;

const rowsShown = (stored: number, { values }: Filled): number => {
  const entered = Object.entries(values).flatMap(([name, value]) => {
    const [list, at, field] = name.split('.');
    return list === 'questions' && field !== 'isRequired' && value.trim() !== '' ? [Number(at) + 1] : [];
  });
  return Math.min(applicationBounds.questions, Math.max(stored + emptyRows, ...entered));
};

const isTicked = (name: string, stored: boolean, filled: Filled): boolean =>
  filled === unfilled ? stored : name in filled.values;

const QuestionRows = ({ form, filled }: { form: ApplicationForm; filled: Filled }) => (
  <>
    {Array.from({ length: rowsShown(form.questions.length, filled) }, (_, at) => {
      const stored = form.questions[at];
      const name = `questions.${at}`;
      return (
        <fieldset key={name} class="rule">
          <legend>Question {at + 1}</legend>
          <div class="fields">
            <Field
              name={`${name}.question`}
              label="Question"
              initial={stored?.question ?? ''}
              filled={filled}
              maxLength={applicationBounds.questionCharacters}
              isWide
            />
            <Field
              name={`${name}.choices`}
              label="Choices"
              hint={`One per line, at most ${applicationBounds.choices}. Without any it is answered by text.`}
              initial={stored?.choices.join('\n') ?? ''}
              filled={filled}
              lines={2}
            />
            <TickBox
              name={`${name}.isRequired`}
              label="Must be answered"
              checked={isTicked(`${name}.isRequired`, stored?.isRequired ?? false, filled)}
            />
          </div>
        </fieldset>
      );
    })}
  </>
);

const Terms = ({ form, filled }: { form: ApplicationForm; filled: Filled }) => (
  <>
    <Field
      name="terms"
      label="Terms to accept"
      hint="Another text is a new version. Each application keeps which version was accepted, and when."
      initial={form.terms ?? ''}
      filled={filled}
      lines={8}
      maxLength={applicationBounds.termsCharacters}
    />
    {form.terms !== null && form.termsChangedAt !== null && (
      <p class="hint">
        Version {form.termsVersion}, since <Time at={form.termsChangedAt} to="day" />
      </p>
    )}
  </>
);

export const applicationSettingsView = (session: Session, program: StoredProgram, filled: Filled): View => {
  const form = program.applicationForm ?? noForm;
  return view(
    'Application form',
    <>
      <div class="card form">
        <PostForm session={session} action={applicationSettingsPath(program.id)} needs="OWNER" filled={filled}>
          <TickBox
            name="isOpen"
            label="Anybody can apply to become an affiliate"
            checked={isTicked('isOpen', form.isOpen, filled)}
          />
          <p class="hint">
            The form asks for name and email, and for what you enter here. To remove a question, empty its fields. More
            empty ones appear after you save.
          </p>
          <QuestionRows form={form} filled={filled} />
          <Terms form={form} filled={filled} />
          <div class="form-actions">
            <button type="submit">Save</button>
            <a href={portalSettingsPath(program.id)}>Cancel</a>
          </div>
        </PostForm>
      </div>
      <Section heading="Address of the form">
        {!(form.isOpen && program.portalIsOn) && <p>Nobody can apply there while the form or the portal is off.</p>}
        <Copyable text={addressOf(`${portalPath(program)}/apply`).href} label="the address of the form" />
      </Section>
    </>,
    {
      lead: 'Whoever applies waits until you approve or decline them in Affiliates > Applications.',
      trail: [{ label: 'Portal', path: portalSettingsPath(program.id) }],
    },
  );
};
