import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { deleteItem, putItem, queryItems } from '../../platform/table/items.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { copyStatusToLinks } from '../affiliates/copy-status-to-links.ts';
import { enterMissingLink } from '../affiliates/link-entry.ts';
import { links, linksOfAffiliate } from '../affiliates/link-repository.ts';
import type { StoredLink } from '../affiliates/link-rules.ts';
import { codesOfAffiliate, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

/** May run twice, in any order. docs/behavior.md#codes-on-links */
const pairKey = (programId: string, linkId: string, codeId: string) => ({
  pk: partition(programId, 'LINK_CODE', linkId),
  sk: codeId,
});

type Pair = readonly [link: StoredLink, code: StoredPromotionalCode];

const disconnect = (programId: string, linkId: string, codeId: string): Promise<void> =>
  deleteItem('records', pairKey(programId, linkId, codeId));

/** Reads again after connecting: conditions would conflict, and a late message must not bring back deleted ones. */
const connect = async (programId: string, pairs: readonly Pair[]): Promise<void> => {
  await forEachConcurrent(pairs, maxConcurrency, ([link, code]) =>
    putItem('records', { ...pairKey(programId, link.id, code.id), code: code.code }),
  );
  const [linksNow, codesNow] = await Promise.all([
    links.getMany(
      programId,
      pairs.map(([link]) => link.id),
    ),
    promotionalCodes.getMany(
      programId,
      pairs.map(([, code]) => code.id),
    ),
  ]);
  const isConnected = ([link, code]: Pair) =>
    linksNow.has(link.id) && codesNow.get(code.id)?.affiliateId === link.affiliateId;
  const lost = pairs.filter((pair) => !isConnected(pair));
  await forEachConcurrent(lost, maxConcurrency, ([link, code]) => disconnect(programId, link.id, code.id));
  const isRenamed = pairs.some((pair) => isConnected(pair) && codesNow.get(pair[1].id)?.code !== pair[1].code);
  if (isRenamed) throw new ConcurrentModificationError('A code was renamed while it was connected');
};

const allLinks = { limit: 100 };
const maxCodesRead = 100;
const maxConcurrency = 20;

export const connectCode = (programId: string, codeId: string): Promise<void> =>
  retryOnConflict(async () => {
    const code = await promotionalCodes.get(programId, codeId);
    if (!code?.affiliateId) return;
    const { items } = await links.page(programId, allLinks, linksOfAffiliate(code.affiliateId));
    await connect(
      programId,
      items.map((link) => [link, code] as const),
    );
  });

export const disconnectCode = async (programId: string, codeId: string, affiliateId: string): Promise<void> => {
  const { items } = await links.page(programId, allLinks, linksOfAffiliate(affiliateId));
  await Promise.all(items.map((link) => disconnect(programId, link.id, codeId)));
};

/** Returns where to continue, or undefined at the end. */
export const connectLink = (
  programId: string,
  linkId: string,
  now: Date,
  after?: string,
): Promise<string | undefined> =>
  retryOnConflict(async () => {
    const link = await links.get(programId, linkId);
    if (!link) return undefined;
    if (after === undefined) {
      const affiliate = await enterMissingLink(programId, link, now);
      await copyStatusToLinks(programId, link.affiliateId, link.id, { affiliate, own: [link] });
    }
    const page = await promotionalCodes.page(programId, { limit: 50, after }, codesOfAffiliate(link.affiliateId));
    await connect(
      programId,
      page.items.map((code) => [link, code] as const),
    );
    return page.next;
  });

/** Returns where to continue, or undefined at the end. */
export const disconnectLink = async (
  programId: string,
  linkId: string,
  after: string | undefined,
): Promise<string | undefined> => {
  const codes = await codesOfLink(programId, linkId, after);
  await Promise.all(codes.map(({ id }) => disconnect(programId, linkId, id)));
  return codes.length === maxCodesRead ? codes.at(-1)?.id : undefined;
};

export const codesOfLink = async (
  programId: string,
  linkId: string,
  after?: string,
): Promise<{ id: string; code: string }[]> => {
  const { items } = await queryItems('records', {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition(programId, 'LINK_CODE', linkId) },
    ScanIndexForward: false,
    Limit: maxCodesRead,
    ...(after && { ExclusiveStartKey: pairKey(programId, linkId, after) }),
  });
  return items.map((item) => ({ id: String(item.sk), code: String(item.code) }));
};
