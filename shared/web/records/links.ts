import { requireRecord } from '../../contract/errors.ts';
import type { linkPages } from '../../contract/pages/links.ts';
import { affiliates } from '../../domain/affiliates/repository.ts';
import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { createLink } from '../../domain/links/create-link.ts';
import { deleteLink } from '../../domain/links/delete-link.ts';
import { findLink } from '../../domain/links/find-link.ts';
import { renameLink } from '../../domain/links/rename-link.ts';
import { linkResponses } from '../../domain/links/responses.ts';
import { unfilled } from '../controls.tsx';
import { withFlash } from '../flash.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { affiliatePath } from '../pages/affiliates.tsx';
import { linkDeletionView, linkEditView, linkPath, linkView, newLinkView } from '../pages/links.tsx';
import { redirect } from '../responses.ts';

const readAffiliate = async (programId: string, affiliateId: string): Promise<StoredAffiliate> =>
  requireRecord(await affiliates.get(programId, affiliateId), 'Affiliate');

export const linkHandlers: PageHandlersOf<typeof linkPages> = {
  showNewLink: async ({ session, program, parameters }) =>
    newLinkView(session, program.id, await readAffiliate(program.id, parameters.affiliateId), unfilled),

  addLink: {
    submit: async ({ program, parameters: { affiliateId }, form, now }) => {
      const { id } = await createLink(program.id, { link: form.link, affiliateId }, now);
      return redirect(withFlash(linkPath(program.id, id), 'link-created'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      newLinkView(session, program.id, await readAffiliate(program.id, parameters.affiliateId), filled),
  },

  showLink: async ({ program, parameters }) => {
    const link = await findLink(program.id, { id: parameters.linkId });
    const [shown] = await linkResponses(program, [link]);
    return linkView(program, requireRecord(shown, 'Link'), link.totalRevenueMinor);
  },

  showLinkEdit: async ({ session, program, parameters }) =>
    linkEditView(session, program.id, await findLink(program.id, { id: parameters.linkId }), unfilled),

  editLink: {
    submit: async ({ program, parameters: { linkId }, form, now }) => {
      await renameLink(program.id, { id: linkId, newLink: form.newLink }, undefined, now);
      return redirect(withFlash(linkPath(program.id, linkId), 'saved'));
    },
    showAgain: async ({ session, program, parameters }, filled) =>
      linkEditView(session, program.id, await findLink(program.id, { id: parameters.linkId }), filled),
  },

  confirmLinkDeletion: async ({ session, program, parameters }) =>
    linkDeletionView(session, program.id, await findLink(program.id, { id: parameters.linkId })),

  removeLink: async ({ program, parameters, now }) => {
    const { affiliateId } = await deleteLink(program.id, { id: parameters.linkId }, undefined, now);
    return redirect(withFlash(affiliatePath(program.id, affiliateId), 'link-deleted'));
  },
};
