import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as z from 'zod';
import { queueUrlVariable } from '../../shared/contract/needs.ts';
import { queueOf } from '../../shared/contract/worker.ts';
import { type Worker, workers } from '../../shared/contract/workers.ts';
import { workerOutputs } from '../constructs/worker-outputs.ts';
import { stackVariables } from '../stack-variables.ts';

const Outputs = z.record(z.string(), z.string());
const Endpoints = z.object({
  dynamodbEndpoint: z.string(),
  sqsEndpoint: z.string(),
  secretsEndpoint: z.string(),
  s3Endpoint: z.string(),
  region: z.string(),
  outputs: Outputs,
});

const everyWorker: readonly Worker[] = workers;

const localEndpoints = async (dataFolder: string) => {
  const file = join(dataFolder, 'endpoints.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (!text)
    throw new Error('The local stack is not running: start it with npm start, or name a deployed one with --stack');
  try {
    return Endpoints.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is damaged. Restart the local stack: it writes the file anew.`);
  }
};

const deployedOutputs = async (stack: string): Promise<Record<string, string>> => {
  const client = new CloudFormationClient({});
  await client.config.region().catch((cause: unknown) => {
    throw new Error("No region is set: set AWS_REGION to the stack's", { cause });
  });
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  return Object.fromEntries(
    (Stacks?.[0]?.Outputs ?? []).flatMap(({ OutputKey, OutputValue }) =>
      OutputKey && OutputValue ? [[OutputKey, OutputValue]] : [],
    ),
  );
};

/**
 * Sets the environment variables by which this process works on a stack: the running local one, or a deployed one with
 * the operator's own credentials. @returns the outputs of the stack
 */
export const useStack = async (options: {
  stack?: string | undefined;
  dataFolder: string;
}): Promise<Record<string, string>> => {
  let outputs: Record<string, string>;
  if (options.stack) outputs = await deployedOutputs(options.stack);
  else {
    const local = await localEndpoints(options.dataFolder);
    outputs = local.outputs;
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: local.dynamodbEndpoint,
      AWS_ENDPOINT_URL_DYNAMODB_STREAMS: local.dynamodbEndpoint,
      AWS_ENDPOINT_URL_SQS: local.sqsEndpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: local.secretsEndpoint,
      AWS_ENDPOINT_URL_S3: local.s3Endpoint,
      AWS_REGION: local.region,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });
  }
  Object.assign(process.env, stackVariables(outputs));
  for (const worker of everyWorker) {
    const queueUrl = outputs[workerOutputs(worker).queueUrl];
    const queue = queueOf(worker);
    if (queue && queueUrl) process.env[queueUrlVariable(queue.name)] = queueUrl;
  }
  return outputs;
};
