const required = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set`);
  return value;
};

export type TableName = 'records' | 'traffic';

/** Read at each call: a Lambda has only the variables of its needs. */
export const deployedName = (table: TableName): string =>
  required(table === 'records' ? 'RECORDS_TABLE' : 'TRAFFIC_TABLE');
