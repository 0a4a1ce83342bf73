import { required } from '../../stack-variables.ts';
import { redriveDeadLetters } from '../redrive.ts';
import { notRestored } from './not-restored.ts';
import { recoverTable } from './recovery.ts';
import { restore } from './restore.ts';
import { fileSource, type Source, tableSource } from './source.ts';
import { restoreTraffic } from './traffic.ts';

export interface RestoreOptions {
  fromFile?: string;
  fromTable?: string;
  at?: string;
  program?: string;
  revokeKeys?: boolean;
  traffic?: boolean;
}

interface Copy {
  source: Source;
  asOf: string;
  /** The copy that DynamoDB made for this restore, which the operator deletes. */
  table?: string;
}

const copyOf = async ({ fromFile, fromTable, at }: RestoreOptions, ownTable: string): Promise<Copy> => {
  if (fromFile !== undefined) return { source: fileSource(fromFile), asOf: 'the export' };
  if (fromTable === undefined) throw new Error('Set --from-file or --from-table');
  if (at !== undefined) {
    const { table, asOf } = await recoverTable(fromTable, new Date(at));
    return { source: tableSource(table), asOf, table };
  }
  if (fromTable === ownTable)
    throw new Error(`${fromTable} is the table of this stack: set --at to the time to restore`);
  return { source: tableSource(fromTable), asOf: 'the time of the copy' };
};

const restoreTrafficFrom = async ({ fromTable, at }: RestoreOptions, outputs: Record<string, string>) => {
  if (fromTable === undefined) throw new Error('Set --from-table: exports do not have the table traffic');
  const { source, table } = await copyOf({ fromTable, ...(at && { at }) }, required(outputs, 'TrafficTableName'));
  const restored = await restoreTraffic(source, new Date());
  return { ...restored, ...(table && { tableToDelete: table }) };
};

/**
 * Restores missing programs, and redrives dead letters; or what the table `traffic` had.
 * @param outputs of the stack that `useStack` has chosen
 */
export const runRestore = async (options: RestoreOptions, outputs: Record<string, string>) => {
  if (options.traffic) return restoreTrafficFrom(options, outputs);
  const { source, asOf, table } = await copyOf(options, required(outputs, 'TableName'));
  const restored = await restore(source, { only: options.program, revokeKeys: options.revokeKeys }, new Date());
  const redriven = await redriveDeadLetters(outputs);
  return { ...restored, redriven, notRestored: notRestored(asOf), ...(table && { tableToDelete: table }) };
};
