import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import type { OwnFiles } from '../local/data/damaged-data.ts';
import type { LocalAws } from '../local/stack.ts';
import { stackVariables } from '../stack-variables.ts';

/** Who owns the demo program. */
export const demoEmail = 'demo@example.com';

const demoProgram = z.object({ programId: z.string(), apiKey: z.string() });

/** A program to try the API with. The key is kept in the data folder: the tables hold only its hash. */
export type DemoProgram = z.output<typeof demoProgram>;

const fileName = 'demo-program.json';

/** The file of the data folder that holds the demo program's key. */
export const demoProgramFile: OwnFiles = {
  [fileName]: { schema: demoProgram, holds: 'the id and the API key of the demo program' },
};

/** The demo program of this data folder, made at the first start. */
export async function findOrMakeDemoProgram(
  data: LocalAws['data'],
  environment: Readonly<Record<string, string>>,
  outputs: Readonly<Record<string, string>>,
): Promise<DemoProgram> {
  const kept = data.readJson(fileName, demoProgram);
  if (kept) return kept;
  // In a thread of its own, because the domain code finds its tables in the environment.
  const worker = new Worker(new URL('./demo-program-worker.ts', import.meta.url), {
    workerData: { ownerEmail: demoEmail },
    env: { ...environment, ...stackVariables(outputs) },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const made = await new Promise<unknown>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The demo program could not be made.')));
  });
  const program = demoProgram.parse(made);
  data.writeJson(fileName, program);
  return program;
}
