import { ApiError } from '../../contract/errors.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import type { Write } from '../../platform/table/transaction.ts';
import { StoredLink } from './link-rules.ts';
import type { StoredAffiliate } from './rules.ts';

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
    SLUG: ({ link, affiliateId, destinationUrl }) => ({
      value: link.toLowerCase(),
      refusal: () => new SlugTaken(link),
      refs: { affiliateId },
      copies: { link, destinationUrl },
    }),
  },
});

/** Also stores the affiliate’s status in the item of the slug, so that a redirect finds all it needs in one read. docs/behavior.md#following-a-link */
export const createLinkWrites = (
  programId: string,
  link: StoredLink,
  { status }: Pick<StoredAffiliate, 'status'>,
): Write[] => links.createWrites(programId, link, { SLUG: { affiliateStatus: status } });
