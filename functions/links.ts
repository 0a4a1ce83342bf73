import { linkOperations } from '../shared/contract/links.ts';
import { createLink } from '../shared/domain/affiliates/create-link.ts';
import { deleteLink } from '../shared/domain/affiliates/delete-link.ts';
import { findLink } from '../shared/domain/affiliates/find-link.ts';
import { listLinks } from '../shared/domain/affiliates/list-links.ts';
import { renameLink } from '../shared/domain/affiliates/rename-link.ts';
import type { StoredAffiliate } from '../shared/domain/affiliates/rules.ts';
import { getProgram } from '../shared/domain/programs/repository.ts';
import { codesOfLink } from '../shared/domain/promotional-codes/link-connections.ts';
import { linkResponses } from '../shared/domain/promotional-codes/link-responses.ts';
import { apiPath } from '../shared/http/api.ts';
import { respondWithOne, respondWithPage, selectorOf } from '../shared/http/selectors.ts';
import { begin } from '../shared/platform/concurrency/begin.ts';

const readOne = async (program: { id: string }, { name, value }: { name: 'id' | 'link'; value: string }) =>
  respondWithOne(await findLink(program.id, { [name]: value }), (found) => linkResponses(program, found));

export const handler = apiPath(linkOperations, {
  readLink: ({ program, parameters }) => readOne(program, parameters.id),
  listLinks: async ({ program, query, page }) => {
    const selector = selectorOf(query, ['id', 'link']);
    if (selector) return readOne(program, selector);
    return respondWithPage(await listLinks(program.id, query, page), (found) => linkResponses(program, found));
  },
  createLink: async ({ program, body, now, idempotency }) => {
    const reading = begin(getProgram(program.id));
    const owners = new Map<string, StoredAffiliate>();
    const link = await createLink(program.id, body, now, idempotency, (affiliate) => {
      owners.set(affiliate.id, affiliate);
    });
    const reads = { program: reading, affiliates: async () => owners, codesOfLink: async () => [] };
    return respondWithOne(link, (created) => linkResponses({ id: program.id, reads }, created));
  },
  updateLink: async ({ program, body, expectedVersions, now }) => {
    const reading = begin(getProgram(program.id));
    let codes: ReturnType<typeof codesOfLink> | undefined;
    const onFound = (linkId: string) => {
      codes = begin(codesOfLink(program.id, linkId));
    };
    const { link, affiliate } = await renameLink(program.id, body, expectedVersions, now, onFound);
    const reads = {
      program: reading,
      affiliates: async () => new Map([[affiliate.id, affiliate]]),
      codesOfLink: async () => (await codes) ?? [],
    };
    return respondWithOne(link, (renamed) => linkResponses({ id: program.id, reads }, renamed));
  },
  deleteLink: async ({ program, body, expectedVersions, now }) => {
    const { id, link } = await deleteLink(program.id, body, expectedVersions, now);
    return { message: 'Link deleted', deletedLink: { id, link } };
  },
});
