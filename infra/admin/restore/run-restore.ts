import { required } from '../../stack-variables.ts';
import { redriveDeadLetters } from '../redrive.ts';
import { notRestored } from './not-restored.ts';
import { recoverTable } from './recovery.ts';
import { restorePrograms } from './restore.ts';
import { fileSource, type Source, tableSource } from './source.ts';

export interface RestoreOptions {
  fromFile?: string;
  fromTable?: string;
  at?: string;
  program?: string;
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

/**
 * Restores missing programs, and redrives dead letters.
 * @param outputs of the stack that `useStack` has chosen
 */
export const runRestore = async (options: RestoreOptions, outputs: Record<string, string>) => {
  const { source, asOf, table } = await copyOf(options, required(outputs, 'TableName'));
  const restored = await restorePrograms(source, options.program, new Date());
  const redriven = await redriveDeadLetters(outputs);
  return { ...restored, redriven, notRestored: notRestored(asOf), ...(table && { tableToDelete: table }) };
};
