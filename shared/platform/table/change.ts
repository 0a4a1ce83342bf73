import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';

type Image = Record<string, unknown>;

/** Without `before` if created, without `after` if deleted. */
export interface Change {
  programId: string;
  kind: string;
  recordId: string;
  before: Image | undefined;
  after: Image | undefined;
  noticedAt: Date;
}

// Lambda's types and the SDK's name the same attribute values differently.
const imageOf = (attributes: object | undefined): Image | undefined =>
  attributes && unmarshall(attributes as Record<string, AttributeValue>);

const recordPartition = /^PROGRAM#([^#]+)#([A-Z_]+)$/;

/** When a restore wrote an item: what it writes happened before, so it is no change. */
export const restoredAttribute = 'restoredAt';

const isRestored = (before: Image | undefined, after: Image | undefined): boolean =>
  after?.[restoredAttribute] !== undefined && after[restoredAttribute] !== before?.[restoredAttribute];

/** Of a key, `kind` says whether it is that of a connection. */
const isOfKind = (item: Image | undefined, kind: string): boolean =>
  item?.kind === kind || (kind === 'API_KEY' && item?.kind !== undefined);

/** Undefined for items that are only part of a record, and for what belongs to no program. */
export const changeOf = ({ dynamodb }: DynamoDBRecord): Change | undefined => {
  const { pk, sk } = imageOf(dynamodb?.Keys) ?? {};
  const [, programId, kind] = recordPartition.exec(String(pk)) ?? [];
  const before = imageOf(dynamodb?.OldImage);
  const after = imageOf(dynamodb?.NewImage);
  if (!programId || !kind || !isOfKind(after ?? before, kind) || isRestored(before, after)) return undefined;
  return {
    programId,
    kind,
    recordId: String(sk),
    before,
    after,
    noticedAt: new Date((dynamodb?.ApproximateCreationDateTime ?? 0) * 1000),
  };
};
