import * as z from 'zod';
import { getItem, updateItem } from '../../platform/table/items.ts';
import { partition } from '../../platform/table/partition.ts';

/** Sessions of affiliates: one item, named by the link that began it, says both that the link was used and that the session has not ended. */

export const portalSessionSeconds = 12 * 60 * 60;

/** Longer than a session and than the link that began it. */
const keptSeconds = 2 * portalSessionSeconds;

export const StoredPortalSession = z.object({
  startedAt: z.string(),
  endedAt: z.string().optional(),
  ttl: z.number(),
});

export interface PortalSessionName {
  readonly id: string;
  readonly programId: string;
  readonly affiliateId: string;
}

const keyOf = ({ id, programId, affiliateId }: PortalSessionName) => ({
  pk: partition(programId, 'PORTAL_SESSION', affiliateId),
  sk: id,
});

/** False if the link began a session before. */
export const startPortalSession = async (named: PortalSessionName, now: Date): Promise<boolean> => {
  const started = await updateItem('traffic', keyOf(named), {
    UpdateExpression: 'SET startedAt = :now, #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(pk)',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':now': now.toISOString(),
      ':ttl': Math.ceil(now.getTime() / 1000) + keptSeconds,
    },
  });
  return started.isWritten;
};

export const isPortalSession = async (named: PortalSessionName): Promise<boolean> => {
  const item = await getItem('traffic', keyOf(named));
  return item !== undefined && StoredPortalSession.parse(item).endedAt === undefined;
};

/** It stays, so that its link cannot begin another one. One that has expired is not brought back. */
export const endPortalSession = async (named: PortalSessionName, now: Date): Promise<void> => {
  await updateItem('traffic', keyOf(named), {
    UpdateExpression: 'SET endedAt = :now',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': now.toISOString() },
  });
};
