import { createAffiliate } from '../shared/affiliates/create-affiliate.ts';
import { deleteAffiliate } from '../shared/affiliates/delete-affiliate.ts';
import { affiliates, affiliatesWithStatus } from '../shared/affiliates/repository.ts';
import { affiliateAnswer } from '../shared/affiliates/rules.ts';
import { searchAffiliates } from '../shared/affiliates/search.ts';
import { updateAffiliate } from '../shared/affiliates/update-affiliate.ts';
import * as contract from '../shared/contract/affiliates.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';
import { requireRecord, selectorOf } from '../shared/http/selectors.ts';
import { links } from '../shared/links/repository.ts';

const uuid = /^[0-9a-f-]{36}$/;

export const handler = apiPath(
  serve(contract.listAffiliates, async ({ program, query, page }) => {
    const selector = selectorOf(query, ['id', 'email']);
    if (selector?.name === 'email')
      return affiliateAnswer(
        requireRecord(await affiliates.find(program.id, 'EMAIL', selector.value), 'Affiliate'),
        program,
      );
    if (selector) {
      const bySlug = uuid.test(selector.value)
        ? undefined
        : await links.find(program.id, 'SLUG', selector.value.toLowerCase());
      const affiliate = await affiliates.get(program.id, bySlug?.affiliateId ?? selector.value);
      return affiliateAnswer(requireRecord(affiliate, 'Affiliate'), program);
    }
    const { status, search } = query;
    const found = search
      ? await searchAffiliates(program.id, search, page, (affiliate) => !status || affiliate.status === status)
      : await affiliates.page(program.id, page, status && affiliatesWithStatus(status));
    return found.map((affiliate) => affiliateAnswer(affiliate, program));
  }),
  serve(contract.createAffiliate, async ({ program, body, now, repetition }) =>
    affiliateAnswer(await createAffiliate(program.id, body, now, repetition), program),
  ),
  serve(contract.updateAffiliate, async ({ program, body, expectedVersions, now }) =>
    affiliateAnswer(await updateAffiliate(program.id, body, expectedVersions, now), program),
  ),
  serve(contract.deleteAffiliate, async ({ program, body, expectedVersions, now }) => {
    const { id, email } = await deleteAffiliate(program.id, body.affiliateId, expectedVersions, now);
    return { message: 'Affiliate deleted', deletedAffiliate: { id, email } };
  }),
);
