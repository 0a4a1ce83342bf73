import type { Application } from '../../contract/applications.ts';
import { bounds } from '../../contract/bounds.ts';
import { ApiError } from '../../contract/errors.ts';
import { logInfo } from '../../platform/logs/log.ts';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { editRecord } from '../../platform/table/edit.ts';
import { RecordBoundReached } from '../../platform/table/record-bound.ts';
import { searchWordsOf } from '../../platform/table/search.ts';
import { createAffiliate } from '../affiliates/create-affiliate.ts';
import { affiliates } from '../affiliates/repository.ts';
import type { StoredAffiliate } from '../affiliates/rules.ts';
import { searchedIn } from '../affiliates/search.ts';
import { withinPlan } from '../programs/record-bound.ts';
import { programs, type StoredProgram } from '../programs/repository.ts';
import type { ApplicationRequest } from './portal-requests.ts';
import { TooManyWait, withWaitingSlot } from './waiting-applications.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Whoever was declined a while ago. */
const mayApplyAgain = ({ status, application }: StoredAffiliate, at: string): boolean =>
  status === 'INACTIVE' &&
  application?.status === 'DECLINED' &&
  application.decidedAt !== null &&
  Date.parse(application.decidedAt) + bounds.daysUntilNextApplication * dayMilliseconds <= Date.parse(at);

const applicationOf = ({ at, entries, terms }: ApplicationRequest): Application => ({
  status: 'WAITING',
  appliedAt: at,
  decidedAt: null,
  entries,
  terms,
  message: null,
});

/** Undefined where the address is that of an affiliate by now, or the program has no room for it. */
const createApplicant = async (program: StoredProgram, request: ApplicationRequest, now: Date) => {
  const { email, firstName, lastName } = request;
  const application = applicationOf(request);
  const create = () =>
    withWaitingSlot(program, (waitingSlot) =>
      createAffiliate(program.id, { email, firstName, lastName }, now, { application, waitingSlot }),
    );
  try {
    return await withinPlan(program, { now, sentence: 'The program is full' }, create);
  } catch (error) {
    if (error instanceof TooManyWait || error instanceof RecordBoundReached)
      logInfo('no room for an application', { programId: program.id });
    else if (!(error instanceof ApiError && error.code === 'already_exists')) throw error;
    return undefined;
  }
};

const applyAgain = async (program: StoredProgram, id: string, request: ApplicationRequest, now: Date) => {
  const { firstName, lastName, programId } = request;
  const edit = (waitingSlot: number) =>
    editRecord(affiliates, { programId, id, noun: 'Affiliate' }, async (affiliate) => {
      if (!mayApplyAgain(affiliate, request.at)) return undefined;
      const names = { firstName, lastName, updatedAt: now.toISOString() };
      const after = { ...affiliate, ...names, application: applicationOf(request), waitingSlot };
      return { after: { ...after, searchWords: searchWordsOf(searchedIn(after)) } };
    });
  try {
    return await withWaitingSlot(program, edit);
  } catch (error) {
    if (!(error instanceof TooManyWait)) throw error;
    logInfo('no room for an application', { programId });
    return undefined;
  }
};

/** An address that applies, is declined, and applies once more is one affiliate. */
const receive = async (program: StoredProgram, request: ApplicationRequest, now: Date) => {
  const known = await affiliates.find(program.id, 'EMAIL', request.email);
  if (!known) return createApplicant(program, request, now);
  return mayApplyAgain(known, request.at) ? applyAgain(program, known.id, request, now) : known;
};

/**
 * Makes an affiliate that waits to be approved. What a known address sends changes nothing and is mailed nothing, and a request
 * that comes twice is received once. docs/behavior.md#applications
 */
export const receiveApplication = async (request: ApplicationRequest, now: Date): Promise<void> => {
  const { programId, at } = request;
  const program = await programs.get(programId, programId);
  if (!program?.portalIsOn || !program.applicationForm?.isOpen) return;
  const affiliate = await receive(program, request, now);
  if (affiliate?.application?.appliedAt !== at) return;
  const occasion = `${affiliate.id} ${at}`;
  await sendMail({ programId, kind: 'APPLICATION_RECEIVED', to: affiliate.email, data: {}, occasion }, now);
};
