import type { portalPages } from '../contract/pages/portal.ts';
import { askForProof } from '../domain/portal/application-proof.ts';
import { apply, nameOfForm, openForm } from '../domain/portal/apply.ts';
import { hasPlace } from '../domain/portal/waiting-applications.ts';
import type { StoredProgram } from '../domain/programs/repository.ts';
import { type Filled, unfilled } from '../web/components/controls.tsx';
import type { PageHandlersOf } from '../web/handlers.ts';
import type { View } from '../web/responses.ts';
import { applicationSentView, applicationsFullView, applicationView } from './apply.tsx';

const shown = async (program: StoredProgram, filled: Filled, now: Date): Promise<View> => {
  const form = openForm(program);
  if (!(await hasPlace(program, now))) return applicationsFullView(program, filled);
  return applicationView(program, form, await askForProof(program.id, nameOfForm(form), now), filled);
};

/** By the number of the question. Their fields are not in the type of the form. */
const entriesIn = (form: Readonly<Record<string, unknown>>, count: number): (string | undefined)[] =>
  Array.from({ length: count }, (_, at) => {
    const entry = form[`entries.${at}`];
    return typeof entry === 'string' ? entry : undefined;
  });

export const applyHandlers: Pick<PageHandlersOf<typeof portalPages>, 'showApplicationForm' | 'sendApplication'> = {
  showApplicationForm: ({ program, now }) => shown(program, unfilled, now),

  sendApplication: {
    submit: async ({ program, form, sourceIp, now }) => {
      const { questions } = openForm(program);
      const { email, firstName, lastName, acceptsTerms, website, seal, proof } = form;
      // A robot must not learn that it was found out.
      if (website) return applicationSentView(program, email);
      const entries = entriesIn(form, questions.length);
      const entered = { email, firstName, lastName: lastName ?? '', acceptsTerms, entries, seal, proof };
      await apply(program, entered, sourceIp, now);
      return applicationSentView(program, email);
    },
    showAgain: ({ program, now }, filled) => shown(program, filled, now),
  },
};
