import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { credentials, sdkEnvironment } from '../../infra/local/account.ts';
import { stackVariables } from '../../infra/stack-variables.ts';
import { createClient } from '../../shared/client/client.ts';
import { outcomeOf, run } from './run.ts';
import { clientSettings, type DeployedStack, type Place } from './stack.ts';

/** Throws unless two values are equal as JSON. */
export const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`${what}: expected ${wanted?.slice(0, 500)}, got ${got?.slice(0, 500)}`);
};

/** Runs the operator's command line against a deployed stack. @returns what it prints */
export const adminOutput = ({ emulator }: Place, { name }: DeployedStack, ...command: string[]): Promise<string> =>
  run(['node', 'infra/admin/admin.ts', '--stack', name, ...command], { env: emulator.environment });

/** The same, parsed. */
export const admin = async (...given: Parameters<typeof adminOutput>) => JSON.parse(await adminOutput(...given));

export const newProgram = (place: Place, stack: DeployedStack) =>
  admin(place, stack, 'program', 'create', '--name', 'Shop', '--owner-email', 'owner@example.com');

/** Far longer than it takes on a slow machine. */
const maxWaitMilliseconds = 300_000;

/** Asks again until it is so. Throws if it never is. */
export const eventually = async (what: string | (() => string), isSo: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + maxWaitMilliseconds;
  while (!(await isSo())) {
    if (Date.now() > deadline)
      throw new Error(`Not within ${maxWaitMilliseconds / 1000} s: ${typeof what === 'string' ? what : what()}`);
    await sleep(500);
  }
};

export const clientOf = ({ outputs }: DeployedStack, apiKey: string) =>
  createClient({ baseUrl: outputs.ApiUrl ?? '', apiKey, maxRetries: 5 });

/** The demo's story over HTTP. @returns how many webhooks arrived */
export const runDemo = async ({ emulator }: Place, { outputs }: DeployedStack, apiKey: string): Promise<number> => {
  const command = ['node', 'test/demo/demo.ts', '--url', outputs.ApiUrl ?? '', '--key', apiKey];
  const env = { PATH: emulator.environment.PATH, DEMO_WAIT_SECONDS: String(maxWaitMilliseconds / 1000) };
  const output = await run(command, { env });
  const [, webhooks] = /Every signature was right \((\d+) webhooks\)/.exec(output) ?? [];
  if (!webhooks) throw new Error(`The demo printed no number of webhooks:\n${output.slice(-1000)}`);
  return Number(webhooks);
};

/** Tests of the API that need nothing of the local stack itself. */
const suite = [
  'affiliates',
  'affiliates-update',
  'coupons',
  'coupons-update',
  'links',
  'sales',
  'self-referral',
  'promotional-codes',
  'promotional-codes-update',
  'referral-redemption',
  'program',
  'webhooks',
  'if-match',
  'field-rules',
  'cacheable-documents',
  'openapi',
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
      ...sdkEnvironment({ dynamodb: url, sqs: url, secrets: url, s3: url, ses: url }, credentials),
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

/** Checks that the IAM check refuses what a function's role does not allow. */
export const checkRefusal = async (
  { iamCheck }: Place,
  { name, healthFunction, outputs }: DeployedStack,
): Promise<void> => {
  const response = await fetch(`${iamCheck.url}/${name}/${healthFunction}/`, {
    method: 'POST',
    headers: { 'x-amz-target': 'DynamoDB_20120810.Scan' },
    body: JSON.stringify({ TableName: outputs.TableName }),
  });
  expectEqual('status of a scan by the function of /health', response.status, 400);
  expectEqual('number of refused calls', iamCheck.seen.refused.splice(0).length, 1);
};

const Report = z.object({ findings: z.array(z.object({ level: z.string(), check: z.string(), text: z.string() })) });

/** Runs the doctor. Throws if it fails; its findings may be problems. */
const doctor = async ({ emulator }: Place, { name }: DeployedStack) => {
  const command = ['node', 'infra/admin/admin.ts', '--stack', name, 'doctor'];
  const { exitCode, output, transcript } = await outcomeOf(command, { env: emulator.environment });
  if (!output) throw new Error(`The doctor failed:\n${transcript.slice(-4000)}`);
  return { exitCode, ...Report.parse(JSON.parse(output)) };
};

/** Checks that the doctor reports a dead letter, and that a redrive removes it. */
export const checkRedrive = async (place: Place, stack: DeployedStack, programId: string): Promise<void> => {
  const gone = { deliveryId: randomUUID(), eventId: randomUUID(), webhookId: randomUUID() };
  const letter = { programId, ...gone, attempt: 1 };
  const QueueUrl = stack.outputs.DeliverWebhookDeadLettersUrl;
  const queues = new SQSClient(clientSettings(place.emulator));
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(letter) }));
  const { exitCode, findings } = await doctor(place, stack);
  const problems = findings.filter(({ level }) => level === 'problem').map(({ check }) => check);
  expectEqual('exit code and problems of the doctor', [exitCode, problems], [1, ['queues']]);
  const redriven = await admin(place, stack, 'webhooks', 'redrive');
  expectEqual('redriven dead letters', redriven['deliver-webhook'], { redriven: 1, expired: 0, failed: 0 });
};

/** Checks that the doctor finds no problem. @returns its warnings */
export const checkHealth = async (place: Place, stack: DeployedStack): Promise<string[]> => {
  const { exitCode, findings } = await doctor(place, stack);
  if (exitCode !== 0) throw new Error(`The doctor found problems:\n${JSON.stringify(findings, null, 2)}`);
  return findings.map(({ text }) => text);
};
