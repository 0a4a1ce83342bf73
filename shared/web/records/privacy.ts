import { gzipSync } from 'node:zlib';
import { fieldError } from '../../contract/errors.ts';
import type { privacyPages } from '../../contract/pages/privacy.ts';
import { erasures } from '../../domain/privacy/erasure-record.ts';
import { type FoundPerson, findPerson, shownPerson } from '../../domain/privacy/find-person.ts';
import { readErasure, startErasure } from '../../domain/privacy/start-erasure.ts';
import { withDownloadSlot } from '../../domain/programs/download-slots.ts';
import { isEventAbout } from '../../webhooks/privacy/erase-event.ts';
import { unfilled } from '../components/controls.tsx';
import type { PageHandlersOf } from '../handlers.ts';
import { erasurePath, erasureView, foundPersonView, privacyView } from '../pages/privacy.tsx';
import { redirect } from '../responses.ts';

const shownErasures = 20;
/** Less than a page may take. */
const findMilliseconds = 15_000;

const readErasures = async (programId: string) => (await erasures.page(programId, { limit: shownErasures })).items;

const find = (programId: string, email: string): Promise<FoundPerson> => {
  const end = performance.now() + findMilliseconds;
  return findPerson(programId, email, { isEventAbout, isOver: () => performance.now() > end });
};

export const privacyHandlers: PageHandlersOf<typeof privacyPages> = {
  showPrivacy: async ({ session, program }) =>
    privacyView({ session, program }, await readErasures(program.id), unfilled),

  findPerson: {
    submit: async ({ session, program, form: { email } }) =>
      foundPersonView({ session, program }, email, await find(program.id, email), unfilled),
    showAgain: async ({ session, program }, filled) =>
      privacyView({ session, program }, await readErasures(program.id), filled),
  },

  downloadPerson: {
    submit: ({ session, program, form: { email }, now }) =>
      withDownloadSlot(session.email, now, async () => ({
        kind: 'download',
        type: 'application/json',
        fileName: 'person.json',
        compressed: gzipSync(shownPerson(email, await find(program.id, email), now)),
      })),
    showAgain: async ({ session, program }, filled) =>
      privacyView({ session, program }, await readErasures(program.id), filled),
  },

  erasePerson: {
    submit: async ({ program, form: { email, confirmation }, now }) => {
      if (confirmation !== email) throw fieldError('confirmation', 'confirmation must be exactly the email above');
      return redirect(erasurePath(program.id, (await startErasure(program.id, email, now)).id));
    },
    showAgain: async ({ session, program }, filled) => {
      const { email = '' } = filled.values;
      return foundPersonView({ session, program }, email, await find(program.id, email), filled);
    },
  },

  showErasure: async ({ program, parameters: { erasureId } }) => erasureView(await readErasure(program.id, erasureId)),
};
