import { affiliateOperations } from '../shared/contract/affiliates.ts';
import { requireRecord } from '../shared/contract/errors.ts';
import { createAffiliate } from '../shared/domain/affiliates/create-affiliate.ts';
import { findAffiliate } from '../shared/domain/affiliates/find-affiliate.ts';
import { affiliates, affiliatesWithStatus } from '../shared/domain/affiliates/repository.ts';
import { affiliateResponse } from '../shared/domain/affiliates/responses.ts';
import type { StoredAffiliate } from '../shared/domain/affiliates/rules.ts';
import { searchAffiliates } from '../shared/domain/affiliates/search.ts';
import { withTotals } from '../shared/domain/affiliates/totals.ts';
import { updateAffiliate } from '../shared/domain/affiliates/update-affiliate.ts';
import { deleteAffiliate } from '../shared/domain/deletions/delete-affiliate.ts';
import { apiPath } from '../shared/http/api.ts';
import { respondWithOne, respondWithPage, selectorOf } from '../shared/http/selectors.ts';

type AffiliateSelector = { name: 'id' | 'email' | 'link'; value: string };
type Program = { id: string; currency: string; commissionRate: number };

const responsesOf = (program: Program) => async (found: readonly StoredAffiliate[]) =>
  (await withTotals(program.id, found)).map((affiliate) => affiliateResponse(affiliate, program));

const readOne = async (program: Program, { name, value }: AffiliateSelector) =>
  respondWithOne(requireRecord(await findAffiliate(program.id, name, value), 'Affiliate'), responsesOf(program));

export const handler = apiPath(affiliateOperations, {
  readAffiliate: ({ program, parameters }) => readOne(program, parameters.id),
  listAffiliates: async ({ program, query, page }) => {
    const selector = selectorOf(query, ['id', 'email']);
    if (selector) return readOne(program, selector);
    const { status, search } = query;
    const found = search
      ? await searchAffiliates(program.id, search, page, (affiliate) => !status || affiliate.status === status)
      : await affiliates.page(program.id, page, status && affiliatesWithStatus(status));
    return respondWithPage(found, responsesOf(program));
  },
  createAffiliate: async ({ program, body, now, idempotency }) =>
    respondWithOne(await createAffiliate(program.id, body, now, idempotency), responsesOf(program)),
  updateAffiliate: async ({ program, body, expectedVersions, now }) =>
    respondWithOne(await updateAffiliate(program.id, body, expectedVersions, now), responsesOf(program)),
  deleteAffiliate: async ({ program, body, expectedVersions, now }) => {
    const { id, email } = await deleteAffiliate(program.id, body.affiliateId, expectedVersions, now);
    return { message: 'Affiliate deleted', deletedAffiliate: { id, email } };
  },
});
