import { ApiError } from '../../contract/errors.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { StoredLink } from './link-rules.ts';

/** Thrown when a slug is taken, so that a made one can be tried again with a number. */
export class SlugTaken extends ApiError {
  constructor(slug: string, field: 'affiliateLink' | 'link' | 'newLink' = 'affiliateLink') {
    super('already_exists', `The affiliate link ${slug} already is in the program`, {
      details: [{ path: field, message: `${field} already is in the program` }],
    });
  }
}

/** Index entry of an affiliate's links. */
export const linksOfAffiliate = (affiliateId: string) =>
  ({ index: 'GSI1', parts: ['AFFILIATE', affiliateId] }) as const;

export const links = recordStore({
  table: 'records',
  kind: 'LINK',
  schema: StoredLink,
  indexes: (link) => [linksOfAffiliate(link.affiliateId)],
  // Compared without regard to case.
  uniques: { SLUG: ({ link }) => ({ value: link.toLowerCase(), refusal: () => new SlugTaken(link) }) },
});
