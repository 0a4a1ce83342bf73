import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { functionNames } from '../../infra/bundle.ts';
import { ampleMemory } from '../../infra/local/lambda/deploy-functions.ts';
import { startLocalAws } from '../../infra/local/stack.ts';
import { readAssembly } from '../../infra/local/template/assembly.ts';
import { ensureSynthesized } from '../../infra/synth.ts';
import { apiBasePath } from '../../shared/contract/base-paths.ts';
import { provideStack, variablesOfTests } from '../support/running-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the test's process takes the invocations of functions. */
    functionSocket: string;
  }
}

/** The code of every function: it forwards the invocation to the test's process, in which mutants are turned on. */
const forwarder = `
const { Agent, request } = require('node:http');
const { text } = require('node:stream/consumers');
const agent = new Agent({ keepAlive: true });
exports.handler = (event, { functionName, awsRequestId, getRemainingTimeInMillis }) =>
  new Promise((resolve, reject) => {
    const call = request({ socketPath: process.env.FUNCTION_SOCKET, method: 'POST', agent });
    call.on('error', reject);
    call.on('response', async (response) => {
      const outcome = JSON.parse(await text(response));
      if (response.statusCode === 200) resolve(outcome.result);
      else reject(Object.assign(new Error(outcome.message), { name: outcome.name }));
    });
    call.end(JSON.stringify({ functionName, event, awsRequestId, milliseconds: getRemainingTimeInMillis(), environment: process.env }));
  });
`;

/** Starts the local stack as for the tests of the project `stack`, but its functions run in the process of the test. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'affiliate-program-mutants-'));
  const codeFolder = join(dataFolder, 'code');
  const functionSocket = join(dataFolder, 'functions.sock');
  const stack = await startLocalAws({
    port: 0,
    dataFolder,
    ephemeral: true,
    memory: ampleMemory,
    requestsFirst: false,
    environment: { ...variablesOfTests, FUNCTION_SOCKET: functionSocket },
    readAssembly: async () => {
      for (const name of functionNames()) {
        await mkdir(join(codeFolder, name), { recursive: true });
        await writeFile(join(codeFolder, name, 'index.js'), forwarder);
      }
      const assembly = await readAssembly((await ensureSynthesized()).assemblyFolder);
      return { ...assembly, codeFolder: () => codeFolder };
    },
    // A mutant makes functions fail on purpose.
    warn: () => {},
  });
  project.provide('functionSocket', functionSocket);
  provideStack(project, { ...stack, baseUrl: `${stack.apiUrl}${apiBasePath}` }, dataFolder);
  return async () => {
    await stack.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
}
