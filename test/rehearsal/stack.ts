import { join } from 'node:path';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import {
  DescribeTableCommand,
  DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { credentials, region } from '../../infra/local/account.ts';
import { type CloudAssembly, readAssembly } from '../../infra/local/template/assembly.ts';
import type { Template } from '../../infra/local/template/template.ts';
import { stackNameOf } from '../../infra/stack-name.ts';
import { adjustAssembly } from './adjust.ts';
import type { Emulator } from './emulator.ts';
import type { IamCheck } from './iam-check.ts';
import type { ReverseProxy } from './reverse-proxy.ts';
import { outcomeOf, root, run } from './run.ts';

/** The servers that a stack is deployed to. */
export interface Place {
  folder: string;
  emulator: Emulator;
  reverseProxy: ReverseProxy;
  iamCheck: IamCheck;
}

export interface DeployedStack {
  name: string;
  outputs: Record<string, string>;
  resources: number;
  /** The folder of its cloud assembly. */
  assembly: string;
  /** The logical id of a function that may read only one item. */
  healthFunction: string;
}

/** Settings of the SDK's clients in this process. */
export const clientSettings = ({ url }: Emulator) => ({
  region,
  endpoint: url,
  credentials,
});

/** Settings for tests: an address for alarms, webhook receivers on this machine, no rate limits, and short retries. */
const variables = {
  ALARM_EMAIL: 'alarms@example.com',
  WEBHOOK_EXTRA_HOSTS: 'localhost,127.0.0.1',
  CONNECT_HOSTS: 'localhost,127.0.0.1',
  RATE_LIMIT_READS: '1000000',
  RATE_LIMIT_WRITES: '1000000',
  FORM_LIMIT: '1000000',
  WEBHOOK_RETRY_SECONDS: '0.2,0.4,0.6',
};

interface Deployment {
  stage: string;
  /** The folder whose code is deployed: this one, or an earlier version of it. */
  source?: string;
  settings?: Record<string, string>;
}

let synthesized = 0;

const synthesize = async (
  { folder, emulator, reverseProxy, iamCheck }: Place,
  { stage, source = root, settings = {} }: Deployment,
): Promise<Pick<CloudAssembly, 'stackNames' | 'template'> & { assembly: string; resources: number }> => {
  synthesized += 1;
  const assembly = join(folder, `assembly-${synthesized}`);
  await run(['node', 'infra/app.ts'], {
    cwd: source,
    // Synthesis needs no credentials, account and region.
    env: {
      PATH: emulator.environment.PATH,
      HOME: process.env.HOME,
      ...variables,
      ...settings,
      STAGE: stage,
      CDK_OUTDIR: assembly,
    },
  });
  const addresses = { api: reverseProxy.url, emulator: emulator.url, iamCheck: iamCheck.url };
  const resources = adjustAssembly(assembly, stackNameOf(stage), addresses);
  return { assembly, resources, ...readAssembly(assembly) };
};

interface PhysicalResource {
  logicalId: string;
  physicalId: string;
  type: string;
}

/** The resources of a stack and of those nested in it. */
const resourcesOf = async (client: CloudFormationClient, StackName: string): Promise<PhysicalResource[]> => {
  const found: PhysicalResource[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
    for (const { LogicalResourceId = '', PhysicalResourceId = '', ResourceType = '' } of StackResourceSummaries)
      if (ResourceType === 'AWS::CloudFormation::Stack') found.push(...(await resourcesOf(client, PhysicalResourceId)));
      else found.push({ logicalId: LogicalResourceId, physicalId: PhysicalResourceId, type: ResourceType });
  return found;
};

const readStack = async (emulator: Emulator, stackName: string, stackNames: readonly string[]) => {
  const client = new CloudFormationClient(clientSettings(emulator));
  const found = await Promise.all(stackNames.map((name) => resourcesOf(client, name)));
  const physicalIds = new Map(found.flat().map(({ logicalId, physicalId }) => [logicalId, physicalId]));
  const apiId = found.flat().find(({ type }) => type === 'AWS::ApiGatewayV2::Api')?.physicalId;
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
  const outputs = (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
  return { physicalIds, apiId, outputs: Object.fromEntries(outputs) };
};

const tableSettings = z.object({
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
  PointInTimeRecoverySpecification: z.object({ PointInTimeRecoveryEnabled: z.boolean() }).optional(),
});

/** Enables TTL and backups as the template has them, because the emulator's CloudFormation ignores both. @returns the tables' streams */
const completeTables = async (
  emulator: Emulator,
  template: Template,
  physicalIds: ReadonlyMap<string, string>,
): Promise<Map<string, string>> => {
  const client = new DynamoDBClient(clientSettings(emulator));
  const streamArns = new Map<string, string>();
  const complete = async (TableName: string, properties: unknown): Promise<void> => {
    const { TimeToLiveSpecification, PointInTimeRecoverySpecification } = tableSettings.parse(properties);
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.LatestStreamArn) streamArns.set(TableName, Table.LatestStreamArn);
    if (TimeToLiveSpecification)
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification })).catch((error: Error) => {
        // It is enabled from an earlier deployment.
        if (error.name !== 'ValidationException') throw error;
      });
    if (PointInTimeRecoverySpecification)
      await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  };
  await Promise.all(
    Object.entries(template.Resources)
      .filter(([, { Type }]) => Type === 'AWS::DynamoDB::Table')
      .map(([logicalId, { Properties }]) => complete(physicalIds.get(logicalId) ?? '', Properties)),
  );
  return streamArns;
};

/** Deploys a stage by the CDK's CLI, and makes it the upstream of the reverse proxy. */
export const deploy = async (place: Place, deployment: Deployment): Promise<DeployedStack> => {
  const { emulator, reverseProxy, iamCheck } = place;
  const name = stackNameOf(deployment.stage);
  const { assembly, resources, template, stackNames } = await synthesize(place, deployment);
  iamCheck.holdStack(name);
  await run(
    ['npx', 'cdk', 'deploy', '--all', '--app', assembly, '--require-approval', 'never', '--progress', 'events'],
    {
      env: emulator.environment,
    },
  );
  const { physicalIds, apiId, outputs } = await readStack(emulator, name, stackNames);
  const streamArns = await completeTables(emulator, template, physicalIds);
  iamCheck.registerStack({ stackName: name, template, physicalIds, streamArns });
  reverseProxy.setUpstream({ port: emulator.port, host: `${apiId}.execute-api.localhost:${emulator.port}` });
  const functions = Object.keys(template.Resources).filter(
    (id) => template.Resources[id]?.Type === 'AWS::Lambda::Function',
  );
  const healthFunction = functions.find((id) => id.startsWith('Health')) ?? '';
  return { name, outputs, resources, assembly, healthFunction };
};

const unreachable = 'http://127.0.0.1:9';

/** Synthesizes a stage and compares each of its stacks with its template by the CLI, without credentials, account, region and network. */
export const diffOffline = async (place: Place, stage: string): Promise<void> => {
  const assembly = join(place.folder, `offline-${stage}`);
  const env = {
    PATH: place.emulator.environment.PATH,
    HOME: process.env.HOME,
    HTTP_PROXY: unreachable,
    HTTPS_PROXY: unreachable,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const context = ['-c', `stage=${stage}`];
  await run(['npx', 'cdk', 'synth', ...context, '--output', assembly, '--quiet'], { env });
  for (const name of readAssembly(assembly).stackNames) {
    const compare = ['--template', join(assembly, `${name}.template.json`), '--output', `${assembly}-again`];
    const changes = await outcomeOf(['npx', 'cdk', 'diff', name, '--exclusively', ...context, ...compare], { env });
    if (changes.exitCode !== 0 || !changes.transcript.includes('Number of stacks with differences: 0'))
      throw new Error(`cdk diff found differences:\n${changes.transcript}`);
  }
};

/** Deletes some stacks of a stage, all by default. */
export const destroy = (
  { emulator }: Place,
  { assembly }: Pick<DeployedStack, 'assembly'>,
  stackNames: readonly string[] = ['--all'],
): Promise<string> =>
  run(['npx', 'cdk', 'destroy', ...stackNames, '--app', assembly, '--force'], { env: emulator.environment });
