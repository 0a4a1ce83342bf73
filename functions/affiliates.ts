import { affiliateOperations } from '../shared/contract/affiliates.ts';
import { requireRecord } from '../shared/contract/errors.ts';
import { createAffiliate } from '../shared/domain/affiliates/create-affiliate.ts';
import { findAffiliate } from '../shared/domain/affiliates/find-affiliate.ts';
import { listAffiliates } from '../shared/domain/affiliates/list-affiliates.ts';
import { affiliateResponses } from '../shared/domain/affiliates/responses.ts';
import { noTotals, readTotals, withTotals } from '../shared/domain/affiliates/totals.ts';
import { updateAffiliate } from '../shared/domain/affiliates/update-affiliate.ts';
import { deleteAffiliate } from '../shared/domain/deletions/delete-affiliate.ts';
import { apiPath } from '../shared/http/api.ts';
import { respondWithOne, respondWithPage, selectorOf } from '../shared/http/selectors.ts';
import { begin } from '../shared/platform/concurrency/begin.ts';

type AffiliateSelector = { name: 'id' | 'email' | 'link'; value: string };
type Program = { id: string; currency: string; commissionRate: number };

const readOne = async (program: Program, { name, value }: AffiliateSelector) =>
  respondWithOne(requireRecord(await findAffiliate(program.id, name, value), 'Affiliate'), (found) =>
    affiliateResponses(found, program),
  );

export const handler = apiPath(affiliateOperations, {
  readAffiliate: ({ program, parameters }) => readOne(program, parameters.id),
  listAffiliates: async ({ program, query, page }) => {
    const selector = selectorOf(query, ['id', 'email']);
    if (selector) return readOne(program, selector);
    return respondWithPage(await listAffiliates(program.id, query, page), (found) =>
      affiliateResponses(found, program),
    );
  },
  createAffiliate: async ({ program, body, now, idempotency }) => {
    const created = await createAffiliate(program.id, body, now, idempotency);
    return respondWithOne({ ...created, ...noTotals }, (found) => affiliateResponses(found, program));
  },
  updateAffiliate: async ({ program, body, expectedVersions, now }) => {
    let totals: ReturnType<typeof readTotals> | undefined;
    const onFound = (affiliateId: string) => {
      totals = begin(readTotals(program.id, [affiliateId]));
    };
    const updated = await updateAffiliate(program.id, body, expectedVersions, now, onFound);
    return respondWithOne(updated, async (found) =>
      affiliateResponses(await withTotals(program.id, found, await totals), program),
    );
  },
  deleteAffiliate: async ({ program, body, expectedVersions, now }) => {
    const { id, email } = await deleteAffiliate(program.id, body.affiliateId, expectedVersions, now);
    return { message: 'Affiliate deleted', deletedAffiliate: { id, email } };
  },
});
