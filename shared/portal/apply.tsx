import { type ApplicationQuestion, applicationBounds } from '../contract/applications.ts';
import type { ProofRequest } from '../domain/portal/application-proof.ts';
import type { ApplicationForm } from '../domain/programs/application-form.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { Field, type Filled, Select } from '../web/components/controls.tsx';
import { dayText } from '../web/components/time.tsx';
import { portalPath } from '../web/pages/portal-path.ts';
import { type View, view } from '../web/responses.ts';

const choicesOf = (choices: readonly string[]) => [
  { value: '', label: 'Choose' },
  ...choices.map((choice) => ({ value: choice, label: choice })),
];

const Question = ({ asked, at, filled }: { asked: ApplicationQuestion; at: number; filled: Filled }) => {
  const { question, choices, isRequired } = asked;
  const common = { name: `entries.${at}`, label: isRequired ? question : `${question} (optional)`, filled };
  if (choices.length > 0) return <Select {...common} options={choicesOf(choices)} chosen="" />;
  return <Field {...common} lines={3} maxLength={applicationBounds.entryCharacters} required={isRequired} />;
};

const Terms = ({ form, filled }: { form: ApplicationForm; filled: Filled }) => (
  <div class="field wide">
    <h2>Terms</h2>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached with the keyboard */}
    <section class="terms" aria-label="Terms" tabIndex={0}>
      {form.terms}
    </section>
    {form.termsChangedAt && <p class="hint">As of {dayText(form.termsChangedAt)}</p>}
    <div class="choice">
      <input
        type="checkbox"
        id="acceptsTerms"
        name="acceptsTerms"
        required
        checked={'acceptsTerms' in filled.values}
        aria-describedby={filled.errors.acceptsTerms ? 'acceptsTerms-error' : undefined}
      />
      <label for="acceptsTerms">I accept these terms</label>
    </div>
    {filled.errors.acceptsTerms && (
      <p class="problem" id="acceptsTerms-error">
        {filled.errors.acceptsTerms}
      </p>
    )}
  </div>
);

/** Robots fill in what people do not see. */
const Honeypot = () => (
  <div class="unseen" aria-hidden="true">
    <label for="website">Leave this empty</label>
    <input id="website" name="website" tabIndex={-1} autocomplete="off" />
  </div>
);

const Person = ({ filled }: { filled: Filled }) => (
  <>
    <Field name="firstName" label="First name" filled={filled} required maxLength={100} />
    <Field name="lastName" label="Last name (optional)" filled={filled} maxLength={100} />
    <Field
      name="email"
      label="Email"
      hint="We write to it, and it signs you in later"
      filled={filled}
      required
      maxLength={254}
      inputMode="email"
      isWide
    />
  </>
);

export const applicationView = (
  program: StoredProgram,
  form: ApplicationForm,
  { seal, challenge }: ProofRequest,
  filled: Filled,
): View =>
  view(
    'Apply',
    <>
      <noscript>
        <p class="note warn">
          This form needs JavaScript. Your browser does some work for it, which keeps robots out without asking anybody
          else about you. Switch it on and reload the page.
        </p>
      </noscript>
      <div class="card form">
        <form class="form" method="post" action={`${portalPath(program)}/apply`} data-proof={JSON.stringify(challenge)}>
          {filled.message && (
            <p class="problem" role="alert">
              {filled.message}
            </p>
          )}
          <div class="fields">
            <Person filled={filled} />
            {form.questions.map((asked, at) => (
              <Question key={asked.question} asked={asked} at={at} filled={filled} />
            ))}
            {form.terms !== null && <Terms form={form} filled={filled} />}
          </div>
          <div class="form-actions">
            <button type="submit">Send application</button>
            <input type="hidden" name="seal" value={seal} />
            <input type="hidden" name="proof" />
            <Honeypot />
          </div>
        </form>
      </div>
    </>,
    { lead: `Become an affiliate of ${program.name}.` },
  );

/** In place of the form while the program has no place for an application. */
export const applicationsFullView = (program: StoredProgram, { message }: Filled): View =>
  view(
    'Apply',
    <>
      {message && (
        <p class="problem" role="alert">
          {message}
        </p>
      )}
      <p>{program.name} takes no more applications for now. Please come back in some days.</p>
    </>,
  );

/** The same for every address. */
export const applicationSentView = (program: StoredProgram, email: string): View =>
  view(
    'Your application was sent',
    <>
      <p>
        If <strong class="email">{email}</strong> is new to {program.name}, the program reviews your application and
        writes to that address. If it is that of an affiliate already, nothing changes, and you can sign in.
      </p>
      <p>
        <a class="button quiet" href={portalPath(program)}>
          Sign in
        </a>
      </p>
    </>,
  );
