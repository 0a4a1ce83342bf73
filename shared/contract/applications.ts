import * as z from 'zod';
import { exactLine, lines, maxCharacters, text } from './fields.ts';

/** What strangers enter to become affiliates, and what the program asks them. docs/behavior.md#applications */

export const applicationBounds = {
  questions: 10,
  choices: 10,
  questionCharacters: 200,
  choiceCharacters: 100,
  entryCharacters: 500,
  /** Of all that is entered, as JSON: a page of 100 affiliates must fit a response. */
  entriesBytes: 6_000,
  termsCharacters: 5_000,
} as const;

/** Without choices it takes any text. */
export const ApplicationQuestion = z.object({
  question: text(applicationBounds.questionCharacters),
  choices: z.array(text(applicationBounds.choiceCharacters)).max(applicationBounds.choices),
  isRequired: z.boolean(),
});
export type ApplicationQuestion = z.output<typeof ApplicationQuestion>;

export const termsText = lines.check(maxCharacters(applicationBounds.termsCharacters));

export const entryText = lines.check(maxCharacters(applicationBounds.entryCharacters));

export const proofFields = { seal: exactLine.min(1).max(2000), proof: exactLine.max(200).optional() };

const applicationStatuses = ['WAITING', 'APPROVED', 'DECLINED'] as const;

const entries = z.array(
  z.object({
    question: z.string().describe('What the program asked.'),
    text: z.string().describe('What was entered or chosen. Questions that were left out are not here.'),
  }),
);

const acceptedTerms = z
  .object({
    version: z.int().describe('The version of the terms, counted from 1.'),
    changedAt: z.iso.datetime().describe('When this version was written.'),
  })
  .nullable();

export const Application = z.object({
  status: z.enum(applicationStatuses).describe('Whether somebody has to decide it, or what was decided.'),
  appliedAt: z.iso.datetime().describe('When it was sent.'),
  decidedAt: z.iso.datetime().nullable().describe('When it was approved or declined; null before.'),
  entries: entries.describe('The questions of the program, with what was entered.'),
  terms: acceptedTerms.describe('The terms that were accepted; null where the program had none.'),
  message: z.string().nullable().describe('The text that the program added to a decline; null if there is none.'),
});
export type Application = z.output<typeof Application>;
