import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod';

/** Ends the demo with one line for a person, and exit code 1. */
export class DemoProblem extends Error {
  override name = 'DemoProblem';
}

const Target = z.object({ baseUrl: z.url(), apiKey: z.string() });
export type Target = z.infer<typeof Target>;

const stackFile = '.local/stack.json';

const runningStack = (): Target => {
  try {
    return Target.parse(JSON.parse(readFileSync(stackFile, 'utf8')));
  } catch {
    throw new DemoProblem('No stack is running here. Start one with "npm start", or give --url and --key.');
  }
};

const readOptions = () => {
  try {
    return parseArgs({ options: { url: { type: 'string' }, key: { type: 'string' } } }).values;
  } catch (error) {
    throw new DemoProblem(`${error instanceof Error ? error.message : error}\nnpm run demo -- [--url URL --key KEY]`);
  }
};

/** The address and key that the demo works with: `--url` and `--key`, else those of the running local stack. */
export const readTarget = (): Target & { isLocal: boolean } => {
  const values = readOptions();
  if (values.url === undefined && values.key === undefined) return { ...runningStack(), isLocal: true };
  const given = Target.safeParse({ baseUrl: values.url, apiKey: values.key });
  if (!given.success) throw new DemoProblem('Give both: --url https://<host>/api/v1 and --key <API key>.');
  return { ...given.data, isLocal: false };
};
