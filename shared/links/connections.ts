import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { codesOfAffiliate, promotionalCodes } from '../promotional-codes/repository.ts';
import type { StoredPromotionalCode } from '../promotional-codes/rules.ts';
import { deployedName, documents } from '../table/client.ts';
import { partition } from '../table/partition.ts';
import { RecordChanged } from '../table/record-store.ts';
import { retryTransient } from '../table/retry-transient.ts';
import { type Write, writeTogether } from '../table/transaction.ts';
import { links, linksOfAffiliate } from './repository.ts';
import type { StoredLink } from './rules.ts';

/**
 * Which codes are connected to which link: an item for each pair, under the link, newest code first. Specification,
 * "POST /promotional-codes", rule 2. Everything here may run twice and in any order.
 */
const pairKey = (programId: string, linkId: string, codeId: string) => ({
  pk: partition(programId, 'LINK_CODE', linkId),
  sk: codeId,
});

/**
 * Connects only while the link is there and the code is what was read, so that a late message brings back neither what
 * was deleted nor a code's name of before.
 */
const connection = (programId: string, link: StoredLink, code: StoredPromotionalCode): Write[] => {
  const changed = () => new RecordChanged('The code or the link has changed');
  return [
    {
      Put: {
        TableName: deployedName('records'),
        Item: { ...pairKey(programId, link.id, code.id), code: code.code },
        ConditionExpression: 'attribute_not_exists(pk) OR code <> :code',
        ExpressionAttributeValues: { ':code': code.code },
      },
      refusal: () => new RecordChanged('Connected already'),
    },
    promotionalCodes.presence(programId, code.id, changed, { code: code.code, affiliateId: code.affiliateId }),
    links.presence(programId, link.id, changed),
  ];
};

const connect = async (programId: string, pairs: readonly { link: StoredLink; code: StoredPromotionalCode }[]) => {
  for (const { link, code } of pairs) {
    try {
      await writeTogether(connection(programId, link, code));
    } catch (error) {
      if (!(error instanceof RecordChanged)) throw error;
    }
  }
};

/** An affiliate has at most this many links, so one page holds them all. */
const allLinks = { limit: 100 };
const mostCodesRead = 100;

/** Connects a code to all links of its affiliate. */
export const connectCode = async (programId: string, codeId: string): Promise<void> => {
  const code = await promotionalCodes.get(programId, codeId);
  if (!code?.affiliateId) return;
  const { items } = await links.page(programId, allLinks, linksOfAffiliate(code.affiliateId));
  await connect(
    programId,
    items.map((link) => ({ link, code })),
  );
};

const disconnect = (programId: string, linkId: string, codeId: string) => {
  const command = new DeleteCommand({ TableName: deployedName('records'), Key: pairKey(programId, linkId, codeId) });
  return retryTransient(() => documents.send(command));
};

/** Takes a deleted code from all links of the affiliate it had. */
export const disconnectCode = async (programId: string, codeId: string, affiliateId: string): Promise<void> => {
  const { items } = await links.page(programId, allLinks, linksOfAffiliate(affiliateId));
  await Promise.all(items.map((link) => disconnect(programId, link.id, codeId)));
};

/** Connects one page of the affiliate's codes to a new link. Answers where to go on, or undefined at the end. */
export const connectLink = async (programId: string, linkId: string, after?: string): Promise<string | undefined> => {
  const link = await links.get(programId, linkId);
  if (!link) return undefined;
  const page = await promotionalCodes.page(programId, { limit: 50, after }, codesOfAffiliate(link.affiliateId));
  await connect(
    programId,
    page.items.map((code) => ({ link, code })),
  );
  return page.next;
};

/** Takes one page of codes from a deleted link. Answers where to go on, or undefined at the end. */
export const disconnectLink = async (
  programId: string,
  linkId: string,
  after: string | undefined,
): Promise<string | undefined> => {
  const codes = await codesOfLink(programId, linkId, after);
  await Promise.all(codes.map(({ id }) => disconnect(programId, linkId, id)));
  return codes.length === mostCodesRead ? codes.at(-1)?.id : undefined;
};

/** The newest codes that a link is connected to, or those that come after one of them. */
export const codesOfLink = async (
  programId: string,
  linkId: string,
  after?: string,
): Promise<{ id: string; code: string }[]> => {
  const answer = await documents.send(
    new QueryCommand({
      TableName: deployedName('records'),
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition(programId, 'LINK_CODE', linkId) },
      ScanIndexForward: false,
      Limit: mostCodesRead,
      ...(after && { ExclusiveStartKey: pairKey(programId, linkId, after) }),
    }),
  );
  return (answer.Items ?? []).map((item) => ({ id: String(item.sk), code: String(item.code) }));
};
