import { apiBasePath } from '../../shared/contract/base-paths.ts';
import { type LocalAws, type LocalAwsSettings, startLocalAws } from '../local/stack.ts';
import { readAssembly } from '../local/template/assembly.ts';
import { ensureSynthesized } from '../synth.ts';
import { type DemoProgram, demoEmail, demoProgramFile, findOrMakeDemoProgram } from './demo-program.ts';

export type LocalStackSettings = Omit<LocalAwsSettings, 'readAssembly' | 'ownFiles' | 'announcedFiles'>;

export interface LocalStack extends Omit<LocalAws, 'apiUrl' | 'data' | 'sdkEnvironment'>, DemoProgram {
  /** The API with its base path, for example http://localhost:3000/api/v1. */
  readonly baseUrl: string;
  readonly appUrl: string;
}

/**
 * Serves on this machine what `cdk deploy` would deploy, with a demo program in it, and resolves when it is ready. Writes
 * `stack.json` into the data folder. Throws, with everything stopped again, when a part does not start.
 */
export async function startLocalStack(settings: LocalStackSettings): Promise<LocalStack> {
  const { apiUrl, data, sdkEnvironment, ...aws } = await startLocalAws({
    ...settings,
    readAssembly: async () => readAssembly((await ensureSynthesized()).assemblyFolder),
    ownFiles: demoProgramFile,
    announcedFiles: ['stack.json'],
  });
  try {
    const { programId, apiKey } = await findOrMakeDemoProgram(data, sdkEnvironment, aws.outputs);
    const addresses = { baseUrl: `${apiUrl}${apiBasePath}`, appUrl: apiUrl, programId, apiKey };
    data.announce('stack.json', { ...addresses, email: demoEmail, password: aws.password, pid: process.pid });
    return { ...aws, ...addresses };
  } catch (error) {
    await aws.stop();
    throw error;
  }
}
