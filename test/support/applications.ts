import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { applicationWork } from '../../shared/domain/portal/application-proof.ts';
import { ApplicationRequest } from '../../shared/domain/portal/portal-requests.ts';
import { receiveApplication } from '../../shared/domain/portal/receive-application.ts';
import { programs, type StoredProgram } from '../../shared/domain/programs/repository.ts';
import { updateApplicationForm } from '../../shared/domain/programs/update-application-form.ts';
import { workFor } from './application-proof.ts';
import { stubPageEnvironment } from './pages.ts';
import { portalBrowser } from './portal-pages.ts';
import { testQueues } from './queues.ts';
import { storeProgram } from './webhooks.ts';

// Applications in the process of the test, by the pages of the portal and the worker behind them.

export const questions = [
  { question: 'Where do you write?', choices: [], isRequired: true },
  { question: 'How many readers?', choices: ['Few', 'Many'], isRequired: false },
];
export const terms = 'Be honest.\nSay that you earn.';

export const freshEmail = (): string => `${randomUUID()}@example.com`;

/** What a person enters. */
export const person = (email = freshEmail()): Record<string, string> => ({
  firstName: 'Priya',
  lastName: 'Nair',
  email,
  'entries.0': 'On my blog',
  'entries.1': 'Many',
  acceptsTerms: 'on',
});

export const waitSeconds = (seconds: number): unknown => vi.setSystemTime(Date.now() + seconds * 1000);

let sources = 0;

const asked = { ...applicationWork };
const little = { cost: 10, fewest: 1, most: 4 };

/** Each test of a file has a program whose form is open, a source address and queues of its own, and a clock that it turns. */
export const testApplications = () => {
  const { sentTo } = testQueues();
  const state = { program: undefined as StoredProgram | undefined, sourceIp: '' };
  const program = (): StoredProgram => {
    if (!state.program) throw new Error('A test has a program');
    return state.program;
  };
  const edit = async (changes: Partial<Parameters<typeof updateApplicationForm>[1]> = {}, of = program()) => {
    await updateApplicationForm(of.id, { isOpen: true, questions, terms, ...changes }, new Date());
    state.program = (await programs.get(of.id, of.id)) ?? of;
  };
  beforeEach(async () => {
    Object.assign(applicationWork, little);
    stubPageEnvironment();
    vi.useFakeTimers({ toFake: ['Date'] });
    sources += 1;
    state.sourceIp = `2001:db8:${process.pid.toString(16)}:${sources.toString(16)}::1`;
    await edit({}, await storeProgram());
  });
  afterEach(() => {
    Object.assign(applicationWork, asked);
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });
  const openForm = async (of = program()) => {
    const { status, text } = await portalBrowser(of).visit('/apply');
    expect(status).toBe(200);
    return workFor(text);
  };
  const post = (fields: Record<string, string>, of = program()) =>
    portalBrowser(of).postFrom(state.sourceIp, '/apply', fields);
  const sent = (): ApplicationRequest[] => sentTo('portal-requests').map(({ body }) => ApplicationRequest.parse(body));
  return {
    program,
    edit,
    openForm,
    post,
    /** As a person does, some seconds after the form was shown. */
    applyAs: async (fields: Record<string, string> = person()) => {
      const proof = await openForm();
      waitSeconds(5);
      return post({ ...fields, ...proof });
    },
    sent,
    receiveAll: async () => {
      for (const request of sent()) await receiveApplication(request, new Date());
    },
    mailed: () => sentTo('mails').map(({ body }) => body),
    find: (email: string) => affiliates.find(program().id, 'EMAIL', email),
  };
};
