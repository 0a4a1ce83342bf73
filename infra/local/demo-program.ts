import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import type { DataFolder } from './data/data-folder.ts';

/** Who owns the demo program. */
export const demoEmail = 'demo@example.com';

export const demoProgram = z.object({ programId: z.string(), apiKey: z.string() });

/** A program to try the API with. The key is kept in the data folder: the tables hold only its hash. */
export type DemoProgram = z.output<typeof demoProgram>;

/** The demo program of this data folder, made at the first start. */
export async function findOrMakeDemoProgram(
  data: DataFolder,
  environment: Readonly<Record<string, string>>,
  outputs: Readonly<Record<string, string>>,
): Promise<DemoProgram> {
  const kept = data.readJson('demo-program.json', demoProgram);
  if (kept) return kept;
  // In a thread of its own, because the domain code finds its tables in the environment.
  const worker = new Worker(new URL('./demo-program-worker.ts', import.meta.url), {
    workerData: { ownerEmail: demoEmail },
    env: {
      ...environment,
      RECORDS_TABLE: outputs.TableName,
      TRAFFIC_TABLE: outputs.TrafficTableName,
      KEY_COPIES_SECRET_ARN: outputs.KeyCopiesSecretArn,
    },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const made = await new Promise<unknown>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The demo program could not be made.')));
  });
  const program = demoProgram.parse(made);
  data.writeJson('demo-program.json', program);
  return program;
}
