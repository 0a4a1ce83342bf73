import { setTimeout as sleep } from 'node:timers/promises';
import { findPerson, shownPerson } from '../../shared/domain/privacy/find-person.ts';
import { erasureResponse, readErasure, startErasure } from '../../shared/domain/privacy/start-erasure.ts';
import { getProgram } from '../../shared/domain/programs/repository.ts';
import { isEventAbout } from '../../shared/webhooks/privacy/erase-event.ts';

const pollMilliseconds = 500;

/** Ctrl-C leaves the erasure running. docs/behavior.md#erasing-a-person */
export const eraseAndWait = async (program: string, email: string) => {
  const { id: programId } = await getProgram(program);
  const { id } = await startErasure(programId, email, new Date());
  for (;;) {
    const erasure = await readErasure(programId, id);
    if (erasure.status === 'DONE') return erasureResponse(erasure);
    await sleep(pollMilliseconds);
  }
};

/** However long it takes. docs/behavior.md#what-is-known-of-a-person */
export const personFile = async (program: string, email: string) => {
  const { id: programId } = await getProgram(program);
  const found = await findPerson(programId, email, { isEventAbout, isOver: () => false });
  return JSON.parse(shownPerson(email, found, new Date()));
};
