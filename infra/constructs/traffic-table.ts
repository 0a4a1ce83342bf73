import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { trafficIndexes } from '../../shared/contract/needs.ts';
import type { Settings } from '../settings.ts';
import { KeyedTable } from './keyed-table.ts';

/**
 * What passes through and expires: keys with their rate-limit counters, events, deliveries. Apart from the records,
 * because in their table every counter would become a record of the stream. Stages that keep data can recover it.
 */
export class TrafficTable extends KeyedTable {
  constructor(scope: Construct, settings: Settings) {
    const backups = settings.removalPolicy === 'retain';
    super(scope, 'Traffic', { settings, generation: settings.trafficGeneration, indexes: trafficIndexes, backups });
    if (!backups)
      Validations.of(this).acknowledge({
        id: 'AwsSolutions::AwsSolutions-DDB3',
        reason: 'This stage keeps no data. Keys are rebuilt from the records (admin keys rebuild).',
      });
  }
}
