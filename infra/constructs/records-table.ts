import { StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { recordIndexes } from '../../shared/contract/needs.ts';
import type { Settings } from '../settings.ts';
import { KeyedTable } from './keyed-table.ts';

/** The records of every program. Its stream is the outbox of events, its backups reach back to any second. */
export class RecordsTable extends KeyedTable {
  /** The stream that `fan-out-events` reads. */
  readonly streamArn: string;

  constructor(scope: Construct, settings: Settings) {
    super(scope, 'Records', {
      settings,
      generation: settings.recordsGeneration,
      indexes: recordIndexes,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      backups: true,
    });
    // Asserted, because the CDK's class is of tables without a stream too.
    this.streamArn = this.tableStreamArn as string;
  }
}
