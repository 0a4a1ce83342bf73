import { ApiError } from '../contract/errors.ts';
import { isOfPortal } from '../contract/page.ts';
import { affiliates } from '../domain/affiliates/repository.ts';
import { isPortalSession } from '../domain/portal/portal-sessions.ts';
import { stillAdmits } from '../domain/portal/sign-in-link.ts';
import { handleOf, programIdOfHandle } from '../domain/programs/handles.ts';
import { programs, type StoredProgram } from '../domain/programs/repository.ts';
import type { WebEvent } from './checks.ts';
import { isFramed, readPortalSession } from './session/portal-session.ts';

/** Pages of the affiliates' portal: who is there, and of which program. docs/behavior.md#the-portal */

export class PortalSignInRequired extends ApiError {
  /** Whether the browser has a cookie of this program that is good for nothing any more. */
  readonly hasEnded: boolean;

  constructor(hasEnded: boolean) {
    super('session_ended');
    this.hasEnded = hasEnded;
  }
}

const refuseWithoutSession = (event: WebEvent, hasEnded: boolean): void => {
  delete event.state.portalSession;
  if (event.state.served?.declared.auth !== 'affiliate') return;
  if (event.state.served.declared.method === 'GET') throw new PortalSignInRequired(hasEnded);
  throw new ApiError('session_ended');
};

/** Whether the session has ended is known once it is read, together with the program and the affiliate. */
export const findPortalSession = async (event: WebEvent): Promise<void> => {
  const { served, now } = event.state;
  if (!served || !isOfPortal(served.declared)) return;
  event.state.isFramed = isFramed(event);
  event.state.portalSession = await readPortalSession(event, now);
  if (!event.state.portalSession) refuseWithoutSession(event, false);
};

const withPortal = (program: StoredProgram | undefined, handle: string): StoredProgram => {
  if (!program?.portalIsOn || handleOf(program) !== handle)
    throw new ApiError('path_not_found', 'This page does not exist.');
  return program;
};

const findProgram = async (event: WebEvent): Promise<void> => {
  const { handle = '' } = event.state.parameters;
  const programId = await programIdOfHandle(handle);
  const program = programId === undefined ? undefined : await programs.get(programId, programId);
  event.state.program = withPortal(program, handle);
  // A session of another program leads to no page of this one.
  if (event.state.portalSession?.programId !== programId) delete event.state.portalSession;
};

/** One round trip: the session names the program and the affiliate, and the program its handle. */
const findAffiliate = async (event: WebEvent): Promise<void> => {
  const { portalSession: session, parameters } = event.state;
  if (!session) return;
  const { programId, affiliateId } = session;
  const [program, affiliate, isGoingOn] = await Promise.all([
    programs.get(programId, programId),
    affiliates.get(programId, affiliateId),
    isPortalSession(session),
  ]);
  if (!program || handleOf(program) !== parameters.handle) {
    await findProgram(event);
    return refuseWithoutSession(event, false);
  }
  event.state.program = withPortal(program, parameters.handle);
  if (!affiliate || !isGoingOn || !stillAdmits(session, affiliate)) return refuseWithoutSession(event, true);
  event.state.affiliate = affiliate;
};

export const findAffiliateAndProgram = async (event: WebEvent): Promise<void> => {
  const { served } = event.state;
  if (!served || !isOfPortal(served.declared)) return;
  await (served.declared.auth === 'affiliate' ? findAffiliate(event) : findProgram(event));
};
