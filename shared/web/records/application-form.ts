import * as z from 'zod';
import { ApplicationQuestion, applicationBounds } from '../../contract/applications.ts';
import type { programSettingsPages } from '../../contract/pages/program-settings.ts';
import { updateApplicationForm } from '../../domain/programs/update-application-form.ts';
import { parseFields } from '../../http/parsing.ts';
import { unfilled } from '../components/controls.tsx';
import { withFlash } from '../components/flash.ts';
import { rowsOf, withRowNames } from '../forms/rule-rows.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { applicationSettingsPath, applicationSettingsView } from '../pages/application-settings.tsx';
import { redirect } from '../responses.ts';

const Questions = z.strictObject({ questions: z.array(ApplicationQuestion).max(applicationBounds.questions) });

/** The rows of the form in which something is entered. 400 for one without its question, named as on the form. */
const enteredQuestions = (form: Readonly<Record<string, unknown>>) => {
  const rows = rowsOf(form, 'questions', ['isRequired']);
  const questions = rows.map(({ values: { question = '', choices = [], isRequired } }) => ({
    question,
    choices,
    isRequired: isRequired === true,
  }));
  return withRowNames({ questions: rows }, async () => parseFields(Questions, { questions }).questions);
};

type SettingsPage = 'showApplicationSettings' | 'changeApplicationSettings';

export const applicationFormHandlers: Pick<PageHandlersOf<typeof programSettingsPages>, SettingsPage> = {
  showApplicationSettings: ({ session, program }) => applicationSettingsView(session, program, unfilled),

  changeApplicationSettings: {
    submit: async ({ program, form, now }) => {
      const { isOpen, terms = null } = form;
      const questions = (await enteredQuestions(form)) as z.output<typeof ApplicationQuestion>[];
      await updateApplicationForm(program.id, { isOpen, terms: terms || null, questions }, now);
      return redirect(withFlash(applicationSettingsPath(program.id), 'saved'));
    },
    showAgain: ({ session, program }, filled) => applicationSettingsView(session, program, filled),
  },
};
