import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { type FaultSettings, randomFaults } from '../../infra/local/faults/settings.ts';
import { ampleMemory } from '../../infra/local/lambda/deploy-functions.ts';
import { required, stackVariables } from '../../infra/stack-variables.ts';
import { stages } from '../../infra/stages.ts';
import { type LocalStack, startLocalStack } from '../../infra/start/local-stack.ts';
import { mailVariables } from '../../shared/contract/mail-settings.ts';
import { queueUrlVariable } from '../../shared/contract/needs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string;
    /** Signs in at the local identity provider. */
    password: string;
    /** Where the stack says how to reach it, for the command line. */
    dataFolder: string;
    /** What each function has written, in a file of its own. */
    logFolder: string;
    /** What a process needs to work on the same tables: the environment of a Lambda. */
    stackEnvironment: Record<string, string>;
  }
}

/**
 * `npm run test:faults` lets calls to the database fail by chance, `npm run test:conflicts` where they meet in an item, and
 * `npm run test:late` delays events of queues, streams and schedules by a second.
 */
const chosenFaults = (): FaultSettings | undefined => {
  const { TEST_FAULTS: percent, TEST_CONFLICTS: latencyMilliseconds, TEST_LATE: lateMilliseconds } = process.env;
  if (!percent && !latencyMilliseconds && !lateMilliseconds) return undefined;
  return {
    ...randomFaults(Number(percent ?? 0) / 100),
    ...(latencyMilliseconds && { conflictsInFlight: true, latencyMilliseconds: Number(latencyMilliseconds) }),
    ...(lateMilliseconds && { eventDelayMilliseconds: Number(lateMilliseconds) }),
  };
};

/** What the rehearsal provides, which runs tests against a deployed stack. */
const provideDeployed = (project: TestProject, file: string): void => {
  const provided: ProvidedContext = JSON.parse(readFileSync(file, 'utf8'));
  for (const name of ['baseUrl', 'password', 'dataFolder', 'logFolder'] as const) project.provide(name, provided[name]);
  project.provide('stackEnvironment', provided.stackEnvironment);
};

/** What the functions of the tests' stack are told beside the template's variables. */
export const variablesOfTests = {
  RATE_LIMIT_READS: '1000000',
  RATE_LIMIT_WRITES: '1000000',
  FORM_LIMIT: '1000000',
  WEBHOOK_RETRY_SECONDS: '0.2,0.4,0.6',
};

type Reachable = Pick<
  LocalStack,
  | 'baseUrl'
  | 'password'
  | 'dataFolder'
  | 'dynamodbEndpoint'
  | 'sqsEndpoint'
  | 'secretsEndpoint'
  | 's3Endpoint'
  | 'sesEndpoint'
  | 'region'
  | 'credentials'
  | 'outputs'
>;

/** Tells the tests how to reach a stack. `dataFolder` is where it announces itself; it may keep its data elsewhere. */
export const provideStack = (project: TestProject, stack: Reachable, dataFolder: string): void => {
  project.provide('baseUrl', stack.baseUrl);
  project.provide('password', stack.password);
  project.provide('dataFolder', dataFolder);
  project.provide('logFolder', join(stack.dataFolder, 'logs'));
  project.provide('stackEnvironment', {
    AWS_ENDPOINT_URL_DYNAMODB: stack.dynamodbEndpoint,
    AWS_ENDPOINT_URL_SQS: stack.sqsEndpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: stack.secretsEndpoint,
    AWS_ENDPOINT_URL_S3: stack.s3Endpoint,
    AWS_ENDPOINT_URL_SESV2: stack.sesEndpoint,
    AWS_REGION: stack.region,
    AWS_ACCESS_KEY_ID: stack.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: stack.credentials.secretAccessKey,
    ...stackVariables(stack.outputs),
    [queueUrlVariable('mails')]: required(stack.outputs, 'SendMailQueueUrl'),
    [queueUrlVariable('weekly-summary')]: required(stack.outputs, 'WeeklySummaryQueueUrl'),
    [mailVariables.from]: stages.local?.mailFrom ?? '',
  });
};

/** Starts the local stack once for all test files: the real tables, stream, queues and Lambdas, on free ports. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { DEPLOYED_STACK: deployed } = process.env;
  if (deployed) {
    provideDeployed(project, deployed);
    return async () => {};
  }
  const dataFolder = await mkdtemp(join(tmpdir(), 'affiliate-program-test-'));
  const stack = await startLocalStack({
    port: 0,
    dataFolder,
    ephemeral: true,
    faults: chosenFaults(),
    // The tests run all functions all the time.
    memory: ampleMemory,
    // What runs beside the tests would get all of a busy machine.
    requestsFirst: false,
    recordUsage: true,
    environment: variablesOfTests,
  });
  provideStack(project, stack, dataFolder);
  return async () => {
    await stack.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
}
