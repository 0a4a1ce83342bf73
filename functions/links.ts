import { linkOperations } from '../shared/contract/links.ts';
import type { StoredLink } from '../shared/domain/affiliates/link-rules.ts';
import { linkAnswers } from '../shared/domain/links/answers.ts';
import { createLink } from '../shared/domain/links/create-link.ts';
import { deleteLink } from '../shared/domain/links/delete-link.ts';
import { findLink } from '../shared/domain/links/find-link.ts';
import { listLinks } from '../shared/domain/links/list-links.ts';
import { renameLink } from '../shared/domain/links/rename-link.ts';
import { apiPath } from '../shared/http/api-path.ts';
import { answerOne, answerPage, selectorOf } from '../shared/http/selectors.ts';

export const handler = apiPath(linkOperations, {
  listLinks: async ({ program, query, page }) => {
    const answers = (found: readonly StoredLink[]) => linkAnswers(program, found);
    const selector = selectorOf(query, ['id', 'link']);
    return selector
      ? answerOne(await findLink(program.id, { [selector.name]: selector.value }), answers)
      : answerPage(await listLinks(program.id, query, page), answers);
  },
  createLink: async ({ program, body, now, idempotency }) =>
    answerOne(await createLink(program.id, body, now, idempotency), (created) => linkAnswers(program, created)),
  updateLink: async ({ program, body, expectedVersions, now }) => {
    const { link, affiliate } = await renameLink(program.id, body, expectedVersions, now);
    const reads = { affiliates: async () => new Map([[affiliate.id, affiliate]]) };
    return answerOne(link, (renamed) => linkAnswers({ id: program.id, reads }, renamed));
  },
  deleteLink: async ({ program, body, expectedVersions }) => {
    const { id, link } = await deleteLink(program.id, body, expectedVersions);
    return { message: 'Link deleted', deletedLink: { id, link } };
  },
});
