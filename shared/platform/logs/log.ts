// Powertools' logger would add 22 KB to every bundle, and prints every property of an error.

type Level = 'INFO' | 'WARN' | 'ERROR';

/** Single values only, so that no record or request can slip into a log. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

const lineOf = (level: Level, message: string, fields: LogFields): string =>
  JSON.stringify({
    level,
    message,
    timestamp: new Date().toISOString(),
    service: process.env.AWS_LAMBDA_FUNCTION_NAME,
    ...fields,
  });

/** Other properties are left out: an error of the SDK may hold the items of a transaction. */
const errorFields = (error: unknown): LogFields => {
  if (error === undefined) return {};
  if (!(error instanceof Error)) return { errorMessage: String(error) };
  return { errorName: error.name, errorMessage: error.message, stack: error.stack };
};

export const logInfo = (message: string, fields: LogFields): void => console.log(lineOf('INFO', message, fields));

export const logWarning = (message: string, fields: LogFields): void => console.log(lineOf('WARN', message, fields));

export const logError = (message: string, error: unknown, fields: LogFields = {}): void =>
  console.error(lineOf('ERROR', message, { ...fields, ...errorFields(error) }));
