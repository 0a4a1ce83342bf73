import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { credentials, sdkEnvironment } from '../../infra/local/account.ts';
import { stackVariables } from '../../infra/stack-variables.ts';
import { createClient } from '../../shared/client/client.ts';
import { outcomeOf, run } from './run.ts';
import { clientSettings, type DeployedStack, type Place } from './stack.ts';

/** Throws where something is not as it should be. */
export const expectEqual = (what: string, found: unknown, wanted: unknown): void => {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${what} is ${one?.slice(0, 500)}, and should be ${other?.slice(0, 500)}`);
};

/** Runs the operator's command line against a deployed stack. @returns what it prints, parsed */
export const admin = async ({ emulator }: Place, { name }: DeployedStack, ...command: string[]) =>
  JSON.parse(await run(['node', 'infra/admin/admin.ts', '--stack', name, ...command], { env: emulator.environment }));

export const clientOf = ({ outputs }: DeployedStack, apiKey: string) =>
  createClient({ baseUrl: outputs.ApiUrl ?? '', apiKey, maxRetries: 5 });

/** The demo's story over HTTP. @returns how many webhooks arrived */
export const runDemo = async ({ emulator }: Place, { outputs }: DeployedStack, apiKey: string): Promise<number> => {
  const command = ['node', 'test/demo/demo.ts', '--url', outputs.ApiUrl ?? '', '--key', apiKey];
  const output = await run(command, { env: { PATH: emulator.environment.PATH } });
  const [, webhooks] = /Every signature was right \((\d+) webhooks\)/.exec(output) ?? [];
  if (!webhooks) throw new Error(`The demo says nothing of webhooks:\n${output.slice(-1000)}`);
  return Number(webhooks);
};

/** Tests of the API that need nothing of the local stack itself. */
const suite = [
  ...['affiliates', 'affiliates-update', 'coupons', 'coupons-update', 'links', 'sales', 'self-referral'],
  ...['promotional-codes', 'promotional-codes-update', 'referral-redemption'],
  ...['program', 'webhooks', 'if-match', 'field-rules', 'cacheable-documents', 'openapi'],
];

/** Names of tests that overload the emulator, which starts a process for each concurrent request. */
const excludedTests = ['racing buyers', 'equal requests at once', 'payout batch'];

/** @returns how many tests of the API passed */
export const runApiSuite = async ({ emulator, folder }: Place, { outputs }: DeployedStack): Promise<number> => {
  const { url } = emulator;
  const provided = {
    baseUrl: outputs.ApiUrl,
    password: '',
    dataFolder: folder,
    logFolder: '',
    stackEnvironment: {
      ...sdkEnvironment({ dynamodb: url, sqs: url, secrets: url }, credentials),
      ...stackVariables(outputs),
    },
  };
  const file = join(folder, 'deployed-stack.json');
  writeFileSync(file, JSON.stringify(provided));
  const files = suite.map((name) => `test/api/${name}.test.ts`);
  const names = ['--testNamePattern', `^(?!.*(${excludedTests.join('|')}))`];
  const { exitCode, transcript } = await outcomeOf(['npx', 'vitest', 'run', '--project', 'stack', ...names, ...files], {
    env: { PATH: emulator.environment.PATH, HOME: process.env.HOME, DEPLOYED_STACK: file, NO_COLOR: '1' },
  });
  const [, passed] = /^(\d+) passed, 0 failed/m.exec(transcript) ?? [];
  if (exitCode !== 0 || !passed) throw new Error(`Tests of the API failed:\n${transcript.slice(-6000)}`);
  return Number(passed);
};

/** The IAM check refuses what a function's role does not allow, so that its silence means something. */
export const checkRefusal = async (
  { iamCheck }: Place,
  { name, healthFunction, outputs }: DeployedStack,
): Promise<void> => {
  const response = await fetch(`${iamCheck.url}/${name}/${healthFunction}/`, {
    method: 'POST',
    headers: { 'x-amz-target': 'DynamoDB_20120810.Scan' },
    body: JSON.stringify({ TableName: outputs.TableName }),
  });
  expectEqual('the status of a scan by the function of /health', response.status, 400);
  expectEqual('the number of refusals', iamCheck.seen.refused.splice(0).length, 1);
};

const Report = z.object({ findings: z.array(z.object({ level: z.string(), check: z.string(), text: z.string() })) });

/** Runs the doctor. Throws if it fails; its findings may be problems. */
const doctor = async ({ emulator }: Place, { name }: DeployedStack) => {
  const command = ['node', 'infra/admin/admin.ts', '--stack', name, 'doctor'];
  const { exitCode, output, transcript } = await outcomeOf(command, { env: emulator.environment });
  if (!output) throw new Error(`The doctor failed:\n${transcript.slice(-4000)}`);
  return { exitCode, ...Report.parse(JSON.parse(output)) };
};

/** A webhook that a worker gave up on is redriven, and is no dead letter any more. */
export const checkRedrive = async (place: Place, stack: DeployedStack, programId: string): Promise<void> => {
  const gone = { deliveryId: randomUUID(), eventId: randomUUID(), webhookId: randomUUID() };
  const letter = { programId, ...gone, attempt: 1 };
  const QueueUrl = stack.outputs.DeliverWebhookDeadLettersUrl;
  const queues = new SQSClient(clientSettings(place.emulator));
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(letter) }));
  const { exitCode, findings } = await doctor(place, stack);
  const problems = findings.filter(({ level }) => level === 'problem').map(({ check }) => check);
  expectEqual('the exit code and the problems of the doctor', [exitCode, problems], [1, ['queues']]);
  const redriven = await admin(place, stack, 'webhooks', 'redrive');
  expectEqual('what was redriven', redriven['deliver-webhook'], { redriven: 1, expired: 0, failed: 0 });
};

/** The doctor finds no problem. @returns its warnings */
export const checkHealth = async (place: Place, stack: DeployedStack): Promise<string[]> => {
  const { exitCode, findings } = await doctor(place, stack);
  if (exitCode !== 0) throw new Error(`The doctor says:\n${JSON.stringify(findings, null, 2)}`);
  return findings.map(({ text }) => text);
};
