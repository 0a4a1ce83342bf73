import { ApiError } from '../../contract/errors.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { StoredLink } from './link-rules.ts';

/** Thrown for a taken slug, so that a generated one can be retried. */
export class SlugTaken extends ApiError {
  constructor(slug: string, field: 'affiliateLink' | 'link' | 'newLink' = 'affiliateLink') {
    super('already_exists', `The affiliate link ${slug} is already in use`, {
      details: [{ path: field, message: `${field} is already in use` }],
    });
  }
}

export const linksOfAffiliate = (affiliateId: string) =>
  ({ index: 'GSI1', parts: ['AFFILIATE', affiliateId] }) as const;

export const links = recordStore({
  table: 'records',
  kind: 'LINK',
  keepsActor: true,
  schema: StoredLink,
  indexes: (link) => [linksOfAffiliate(link.affiliateId)],
  // See docs/behavior.md#link-text
  uniques: {
    SLUG: ({ link, affiliateId }) => ({
      value: link.toLowerCase(),
      refusal: () => new SlugTaken(link),
      refs: { affiliateId },
    }),
  },
});
