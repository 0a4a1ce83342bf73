import type { Construct } from 'constructs';
import { trafficIndexes } from '../../shared/contract/needs.ts';
import type { Settings } from '../settings.ts';
import { KeyedTable } from './keyed-table.ts';

/**
 * What passes through and expires: keys with their rate-limit counters, events, deliveries. Apart from the records,
 * because in their table every counter would become a record of the stream.
 */
export class TrafficTable extends KeyedTable {
  constructor(scope: Construct, settings: Settings) {
    super(scope, 'Traffic', {
      settings,
      generation: settings.trafficGeneration,
      indexes: trafficIndexes,
      backups: false,
    });
  }
}
