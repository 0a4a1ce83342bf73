import type * as z from 'zod';
import type { Link } from '../../contract/links.ts';
import { fromMinor } from '../../platform/money/money.ts';
import type { ReadMany } from '../../platform/table/shared-reads.ts';
import { fullUrl, type StoredLink } from '../affiliates/link-rules.ts';
import { affiliates } from '../affiliates/repository.ts';
import { fullName, type StoredAffiliate } from '../affiliates/rules.ts';
import { getProgram, type StoredProgram } from '../programs/repository.ts';
import { codesOfLink } from './link-connections.ts';

interface LinkContext {
  program: StoredProgram;
  affiliate: StoredAffiliate;
  promotionalCodes: { id: string; code: string }[];
}

const linkResponse = (
  link: StoredLink,
  { program, affiliate, promotionalCodes }: LinkContext,
): z.input<typeof Link> => ({
  ...link,
  affiliate: { id: affiliate.id, name: fullName(affiliate), email: affiliate.email },
  program: { id: program.id, name: program.name, currency: program.currency },
  promotionalCodes,
  totalRevenue: fromMinor(link.totalRevenueMinor, program.currency),
  fullURLs: program.baseUrls.map((baseUrl) => ({ baseUrl, fullUrl: fullUrl(baseUrl, link.link) })),
});

/** Some of what the response of a link needs, where it is known or being read. */
export interface LinkReads {
  program?: Promise<StoredProgram>;
  affiliates?: ReadMany<StoredAffiliate>;
  codesOfLink?: (linkId: string) => Promise<LinkContext['promotionalCodes']>;
}

/** Deleted affiliates appear as they last were. */
export const linkResponses = async (
  { id: programId, reads = {} }: { id: string; reads?: LinkReads | undefined },
  links: readonly StoredLink[],
): Promise<z.input<typeof Link>[]> => {
  const readAffiliates = reads.affiliates ?? ((ids) => affiliates.getManyEvenDeleted(programId, ids));
  const readCodes = reads.codesOfLink ?? ((linkId) => codesOfLink(programId, linkId));
  const [program, affiliatesById, codes] = await Promise.all([
    reads.program ?? getProgram(programId),
    readAffiliates(links.map((link) => link.affiliateId)),
    Promise.all(links.map((link) => readCodes(link.id))),
  ]);
  return links.map((link, at) => {
    const affiliate = affiliatesById.get(link.affiliateId);
    if (!affiliate) throw new Error(`The affiliate of link ${link.id} and its tombstone are missing`);
    return linkResponse(link, { program, affiliate, promotionalCodes: codes[at] ?? [] });
  });
};
