import { createHash } from 'node:crypto';
import { type ApplicationQuestion, applicationBounds } from '../../contract/applications.ts';
import { bounds } from '../../contract/bounds.ts';
import { ApiError, type ErrorDetail } from '../../contract/errors.ts';
import { clientBlock } from '../access/source-address.ts';
import type { ApplicationForm } from '../programs/application-form.ts';
import { countAgainstLimit, formLimit } from '../programs/count-against-limit.ts';
import type { StoredProgram } from '../programs/repository.ts';
import { checkProof, useProof } from './application-proof.ts';
import { sendPortalRequest } from './portal-requests.ts';
import { hasPlace } from './waiting-applications.ts';

export interface EnteredApplication {
  email: string;
  firstName: string;
  lastName: string;
  entries: readonly (string | undefined)[];
  acceptsTerms: boolean;
  seal: string;
  proof: string | undefined;
}

/** What a program asks now; 404 while nobody can apply. */
export const openForm = ({ portalIsOn, applicationForm }: StoredProgram): ApplicationForm => {
  if (!portalIsOn || !applicationForm?.isOpen) throw new ApiError('path_not_found', 'This page does not exist.');
  return applicationForm;
};

/** Another one for other questions or terms. */
export const nameOfForm = ({ questions, termsVersion, terms }: ApplicationForm): string =>
  createHash('sha256')
    .update(JSON.stringify([questions, terms && termsVersion]))
    .digest('base64url');

/** Writes nothing once the source is over its limit. */
const limitSource = (sourceIp: string, now: Date): Promise<void> =>
  countAgainstLimit(
    `SOURCE#${clientBlock(sourceIp)}`,
    { endpoint: 'applications', limitPerMinute: Math.ceil(formLimit() / 6) },
    now,
    (seconds) => `Too many applications were sent. Wait ${seconds} seconds, and send it again.`,
  );

const limitProgram = (programId: string, now: Date): Promise<void> =>
  countAgainstLimit(
    `APPLICATIONS#${programId}`,
    { endpoint: 'applications', limitPerMinute: bounds.applicationsOfProgramPerMinute },
    now,
    (seconds) => `Many people apply at this moment. Wait ${seconds} seconds, and send it again.`,
  );

const problemOf = ({ isRequired, choices }: ApplicationQuestion, entry: string | undefined): string | undefined => {
  if (!entry) return isRequired ? 'is required' : undefined;
  return choices.length > 0 && !choices.includes(entry) ? 'is none of the choices' : undefined;
};

const refuse = (details: readonly ErrorDetail[]): void => {
  const [first] = details;
  if (first) throw new ApiError('bad_request', `${first.path} ${first.message}`, { details: [...details] });
};

/** What was entered, with its questions, as they are now. 400 for what is missing, no choice, or too much. */
const entriesFor = ({ questions, terms }: ApplicationForm, entered: EnteredApplication) => {
  refuse([
    ...questions.flatMap((question, at) => {
      const message = problemOf(question, entered.entries[at]);
      return message === undefined ? [] : [{ path: `entries.${at}`, message }];
    }),
    ...(terms !== null && !entered.acceptsTerms ? [{ path: 'acceptsTerms', message: 'must be ticked' }] : []),
  ]);
  const entries = questions.flatMap(({ question }, at) => {
    const entry = entered.entries[at];
    return entry ? [{ question, text: entry }] : [];
  });
  if (Buffer.byteLength(JSON.stringify(entries)) > applicationBounds.entriesBytes)
    throw new ApiError('bad_request', 'The texts are too long together. Shorten some of them.');
  return entries;
};

/**
 * Leaves an application to the worker, whether or not the address is known. docs/behavior.md#applications
 *
 * 404 while the form is closed, 409 while the program has no place for it, 400 for a form that a robot may have sent or that lacks something, 429.
 */
export const apply = async (
  program: StoredProgram,
  entered: EnteredApplication,
  sourceIp: string,
  now: Date,
): Promise<void> => {
  const form = openForm(program);
  await limitSource(sourceIp, now);
  if (!(await hasPlace(program, now)))
    throw new ApiError('conflict', 'This program takes no more applications for now. Nothing was sent.');
  const id = await checkProof(program.id, entered, nameOfForm(form), now);
  const entries = entriesFor(form, entered);
  await useProof(id, now);
  await limitProgram(program.id, now);
  const { terms, termsVersion: version, termsChangedAt: changedAt } = form;
  const { email, firstName, lastName } = entered;
  await sendPortalRequest({
    kind: 'APPLICATION',
    id,
    at: now.toISOString(),
    programId: program.id,
    email,
    firstName,
    lastName,
    entries,
    terms: terms !== null && changedAt !== null ? { version, changedAt } : null,
  });
};
