import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { exactNumber } from './exact-number.ts';

type Image = Record<string, unknown>;

/** A committed change of one record: its images before and after, of which one is missing when it was made or deleted. */
export interface Change {
  programId: string;
  /** Such as `COUPON`: the kind of record in the table. */
  kind: string;
  recordId: string;
  before: Image | undefined;
  after: Image | undefined;
  /** When the table noticed, in whole seconds. */
  noticedAt: Date;
}

// Lambda's types and the SDK's name the same attribute values differently.
const imageOf = (attributes: object | undefined): Image | undefined =>
  attributes && unmarshall(attributes as Record<string, AttributeValue>, { wrapNumbers: exactNumber });

const recordPartition = /^PROGRAM#([^#]+)#([A-Z_]+)$/;

/**
 * The change of a record in one record of the stream. Undefined for items that are part of a record but none themselves
 * (unique values, connections) and for what belongs to no program.
 */
export const changeOf = ({ dynamodb }: DynamoDBRecord): Change | undefined => {
  const { pk, sk } = imageOf(dynamodb?.Keys) ?? {};
  const [, programId, kind] = recordPartition.exec(String(pk)) ?? [];
  const before = imageOf(dynamodb?.OldImage);
  const after = imageOf(dynamodb?.NewImage);
  if (!programId || !kind || (after ?? before)?.kind !== kind) return undefined;
  return {
    programId,
    kind,
    recordId: String(sk),
    before,
    after,
    noticedAt: new Date((dynamodb?.ApproximateCreationDateTime ?? 0) * 1000),
  };
};
