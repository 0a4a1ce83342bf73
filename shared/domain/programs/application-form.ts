import * as z from 'zod';
import { ApplicationQuestion } from '../../contract/applications.ts';

/** What a program asks of whoever applies. Without terms it asks for no consent. docs/behavior.md#applications */
export const ApplicationForm = z.object({
  isOpen: z.boolean(),
  questions: z.array(ApplicationQuestion),
  terms: z.string().nullable(),
  /** Of the newest text; it stays where the terms are removed. */
  termsVersion: z.number(),
  termsChangedAt: z.string().nullable(),
});
export type ApplicationForm = z.output<typeof ApplicationForm>;

export type ApplicationFormEdit = Pick<ApplicationForm, 'isOpen' | 'questions' | 'terms'>;

export const noForm: ApplicationForm = {
  isOpen: false,
  questions: [],
  terms: null,
  termsVersion: 0,
  termsChangedAt: null,
};

/** Another text of the terms is their next version. */
export const editedForm = (before: ApplicationForm, edit: ApplicationFormEdit, now: Date): ApplicationForm => {
  // Earlier versions have stored line breaks as browsers send them.
  const isNew = edit.terms !== null && edit.terms !== before.terms?.replaceAll('\r\n', '\n');
  const { termsVersion, termsChangedAt } = before;
  const version = isNew
    ? { termsVersion: termsVersion + 1, termsChangedAt: now.toISOString() }
    : { termsVersion, termsChangedAt };
  return { ...edit, ...version };
};
