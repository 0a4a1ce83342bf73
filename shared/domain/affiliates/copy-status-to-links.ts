import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { batchGetItems, updateItem } from '../../platform/table/items.ts';
import { links, linksOfAffiliate } from './link-repository.ts';
import type { StoredLink } from './link-rules.ts';
import { affiliates } from './repository.ts';
import { maxLinks, type StoredAffiliate } from './rules.ts';

const maxConcurrency = 20;

const nameKey = (programId: string, { link }: StoredLink) => links.keyOfName(programId, 'SLUG', link.toLowerCase());

/** A deleted affiliate has no list of links, so the index is read. It may lack a link created moments ago, which the cascade deletes. */
const linksToUpdate = async (
  programId: string,
  affiliateId: string,
  affiliate: StoredAffiliate | undefined,
  linkId: string | undefined,
): Promise<readonly StoredLink[]> => {
  if (linkId !== undefined || affiliate)
    return [...(await links.getMany(programId, linkId ? [linkId] : Object.keys(affiliate?.links ?? {}))).values()];
  return (await links.page(programId, { limit: maxLinks }, linksOfAffiliate(affiliateId))).items;
};

/** Also adds the copies that slug items of earlier versions lack. */
const copyStatus = async (programId: string, link: StoredLink, status: string): Promise<void> => {
  await updateItem('records', nameKey(programId, link), {
    UpdateExpression:
      'SET affiliateStatus = :status, affiliateId = :affiliateId, #link = if_not_exists(#link, :link), destinationUrl = if_not_exists(destinationUrl, :destinationUrl)',
    ConditionExpression: 'id = :id',
    ExpressionAttributeNames: { '#link': 'link' },
    ExpressionAttributeValues: {
      ':id': link.id,
      ':status': status,
      ':affiliateId': link.affiliateId,
      ':link': link.link,
      ':destinationUrl': link.destinationUrl,
    },
  });
};

interface Own {
  affiliate: StoredAffiliate | undefined;
  own: readonly StoredLink[];
}

const readOwn = async (programId: string, affiliateId: string, linkId: string | undefined): Promise<Own> => {
  const affiliate = await affiliates.get(programId, affiliateId);
  return { affiliate, own: await linksToUpdate(programId, affiliateId, affiliate, linkId) };
};

/** Copies an affiliate’s status to the slug items of its links, or of one link, until all agree. docs/behavior.md#following-a-link */
export const copyStatusToLinks = async (
  programId: string,
  affiliateId: string,
  linkId?: string,
  known?: Own,
): Promise<void> => {
  for (let read = known; ; read = undefined) {
    const { affiliate, own } = read ?? (await readOwn(programId, affiliateId, linkId));
    const status = affiliate?.status ?? 'DELETED';
    const keys = own.map((link) => nameKey(programId, link));
    const names = new Map((await batchGetItems(deployedName('records'), keys)).map((name) => [name.id, name]));
    const wrong = own.filter(({ id }) => {
      const name = names.get(id);
      return name && name.affiliateStatus !== status;
    });
    if (wrong.length === 0) return;
    await forEachConcurrent(wrong, maxConcurrency, (link) => copyStatus(programId, link, status));
  }
};
