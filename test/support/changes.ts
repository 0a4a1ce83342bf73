import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Kind } from '../../shared/platform/table/partition.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { now, type TestProgram } from './domain.ts';

interface Changed {
  before?: { id: string };
  after?: { id: string };
}

let lastNumber = 0;

/** A change of a record as the table's stream reports it: without `before` it was created, without `after` deleted. */
export const changeRecord = (program: TestProgram, kind: Kind, { before, after }: Changed): DynamoDBRecord => {
  const Keys = { pk: partition(program.id, kind), sk: (after ?? before)?.id };
  const image = (record: object | undefined) =>
    record && marshall({ ...Keys, kind, ...record }, { removeUndefinedValues: true });
  const [OldImage, NewImage] = [image(before), image(after)];
  lastNumber += 1;
  return {
    eventID: randomUUID(),
    eventName: OldImage ? (NewImage ? 'MODIFY' : 'REMOVE') : 'INSERT',
    dynamodb: {
      Keys: marshall(Keys),
      ...(OldImage && { OldImage }),
      ...(NewImage && { NewImage }),
      SequenceNumber: String(lastNumber).padStart(21, '0'),
      ApproximateCreationDateTime: now.getTime() / 1000,
      SizeBytes: 1000,
    },
  } as DynamoDBRecord;
};
