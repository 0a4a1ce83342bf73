import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { admin, adminOutput, expectEqual, newProgram } from './checks.ts';
import { clientSettings, type DeployedStack, deploy, destroy, type Place } from './stack.ts';

// The move of docs/operations.md, section "From one stack to two".

/** The last released commit whose stages were one stack, with the tables in it. */
export const lastOneStackVersion = 'b0e84034ceb912513af14cfefb303a15928d2184';

type Records = readonly (readonly object[])[];

interface Means {
  /** The code of that commit. */
  oneStack: string;
  /** The code to move to; this folder's by default. */
  source: string | undefined;
  step: <Result>(name: string, work: () => Promise<Result>, figure?: (result: Result) => unknown) => Promise<Result>;
  fill: (stack: DeployedStack, apiKey: string) => Promise<Records>;
  readAll: (stack: DeployedStack, apiKey: string) => Promise<Records>;
}

const secretOutputs = ['KeyCopiesSecretArn', 'SessionsSecretArn', 'WebhookSecretsSecretArn'] as const;

const readSecrets = async ({ emulator }: Place, { outputs }: DeployedStack) => {
  const client = new SecretsManagerClient(clientSettings(emulator));
  return Promise.all(
    secretOutputs.map(async (name) => ({
      name,
      version: await client.send(new GetSecretValueCommand({ SecretId: outputs[name] })),
    })),
  );
};

/** Gives secrets the values of others, with their versions: what was encrypted names the version. */
const writeSecrets = async (
  { emulator }: Place,
  { outputs }: DeployedStack,
  secrets: Awaited<ReturnType<typeof readSecrets>>,
): Promise<void> => {
  const client = new SecretsManagerClient(clientSettings(emulator));
  for (const { name, version } of secrets)
    await client.send(
      new PutSecretValueCommand({
        SecretId: outputs[name],
        SecretString: version.SecretString,
        ClientRequestToken: version.VersionId,
      }),
    );
};

/** What of the new response was in the old one too: later versions add fields. */
const asIn = (old: unknown, given: unknown): unknown => {
  if (Array.isArray(old) && Array.isArray(given)) return given.map((item, at) => asIn(old[at], item));
  if (typeof old !== 'object' || old === null || typeof given !== 'object' || given === null) return given;
  const fields: Record<string, unknown> = { ...given };
  return Object.fromEntries(Object.entries(old).map(([name, value]) => [name, asIn(value, fields[name])]));
};

/** Moves a stage whose data were in its one stack, by export and restore. @returns its program and its records */
export const moveFromOneStack = async (place: Place, { oneStack, source, step, fill, readAll }: Means) => {
  const old = await step('deploy dev, as one stack', () => deploy(place, { stage: 'dev', source: oneStack }));
  const { apiKey, programId } = await newProgram(place, old);
  const written = await step('create records', () => fill(old, apiKey));
  const secrets = await readSecrets(place, old);
  const file = join(place.folder, 'all.jsonl');
  writeFileSync(file, await adminOutput(place, old, 'export'));
  await step('destroy the one stack', () => destroy(place, old));
  const stack = await step(
    `deploy dev${source ? ', the last commit' : ''}, as two stacks`,
    () => deploy(place, { stage: 'dev', ...(source && { source }) }),
    ({ resources }) => `${resources} resources`,
  );
  await writeSecrets(place, stack, secrets);
  await step(
    'restore the records',
    () => admin(place, stack, 'restore', '--from-file', file),
    ({ programs, items }) => `${programs} program, ${items} items`,
  );
  await admin(place, stack, 'program', 'list-all');
  await admin(place, stack, 'search', 'build');
  const before = await readAll(stack, apiKey);
  expectEqual('records after the move', asIn(written, before), written);
  return { apiKey, programId, before };
};
