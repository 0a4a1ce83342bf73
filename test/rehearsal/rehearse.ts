import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { accountId, region } from '../../infra/local/account.ts';
import { dataStackNameOf } from '../../infra/stack-name.ts';
import {
  admin,
  checkHealth,
  checkRedrive,
  checkRefusal,
  clientOf,
  eventually,
  expectEqual,
  newProgram,
  runApiSuite,
  runDemo,
} from './checks.ts';
import { startEmulator } from './emulator.ts';
import { startIamCheck } from './iam-check.ts';
import { lastOneStackVersion, moveFromOneStack } from './move.ts';
import { startReverseProxy } from './reverse-proxy.ts';
import { outcomeOf, root, run } from './run.ts';
import { signIn } from './sign-in.ts';
import { clientSettings, type DeployedStack, deploy, destroy, diffOffline, type Place } from './stack.ts';
import { checkEveryWorker, useEveryWorker } from './workers.ts';

// `npm run rehearse`: deploys both stages to an emulator of AWS by CloudFormation, tests them, and destroys them.

const startedAt = performance.now();

/** Runs one step, and prints its duration and result. */
const step = async <Result>(name: string, work: () => Promise<Result>, figure?: (result: Result) => unknown) => {
  const stepStartedAt = performance.now();
  const result = await work();
  const seconds = ((performance.now() - stepStartedAt) / 1000).toFixed(1);
  console.log(`${seconds.padStart(6)} s  ${name}${figure ? `: ${figure(result)}` : ''}`);
  return result;
};

/** The code of a commit; undefined where the history does not have it. */
const checkout = async (folder: string, revision: string): Promise<string | undefined> => {
  const source = join(folder, `source-${revision}`);
  const command = `mkdir ${source} && git archive ${revision} | tar -x -C ${source}`;
  const env = { PATH: process.env.PATH };
  const { exitCode } = await outcomeOf(['bash', '-o', 'pipefail', '-c', command], { env });
  if (exitCode !== 0) return undefined;
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
  return source;
};

/** The last commit before the code of this folder; undefined without history, and where its data were in the one stack of a stage. */
const earlierVersion = async (folder: string): Promise<string | undefined> => {
  const { output } = await outcomeOf(['git', 'status', '--porcelain'], { env: { PATH: process.env.PATH } });
  const source = await checkout(folder, output === '' ? 'HEAD~1' : 'HEAD');
  return source && existsSync(join(source, 'infra', 'data-stack.ts')) ? source : undefined;
};

/** Creates one record of some kinds, and waits for the background work that follows. @returns what `readAll` reads */
const fill = async (stack: DeployedStack, apiKey: string) => {
  const client = clientOf(stack, apiKey);
  const affiliate = await client.affiliates.create({ firstName: 'Amara', email: 'amara@example.com' });
  const coupon = await client.coupons.create({ name: 'Spring', percentOff: 20, maxRedemptions: 3 });
  await client.promotionalCodes.create({ couponId: coupon.id, code: 'SPRING', affiliateId: affiliate.id });
  await client.sales.create({ totalEarned: 100, promoCode: 'SPRING', email: 'carol@example.com' });
  const isSettled = async (): Promise<boolean> => {
    const [[link], { totalRevenue }] = await Promise.all([
      client.links.list().toArray({ max: 1 }),
      client.affiliates.get(affiliate.id),
    ]);
    return totalRevenue === 100 && link?.promotionalCodes.length === 1;
  };
  await eventually('the totals of an affiliate and the codes of its link follow', isSettled);
  return readAll(stack, apiKey);
};

/** Every record of the kinds that `fill` creates. */
const readAll = (stack: DeployedStack, apiKey: string) => {
  const client = clientOf(stack, apiKey);
  const lists = [client.affiliates, client.coupons, client.promotionalCodes, client.sales, client.links];
  return Promise.all(lists.map((resource) => resource.list().toArray({ max: 100 })));
};

const tablesOf = async ({ emulator }: Place, stackName: string): Promise<number> => {
  const { TableNames = [] } = await new DynamoDBClient(clientSettings(emulator)).send(new ListTablesCommand({}));
  return TableNames.filter((name) => name.startsWith(`${stackName}-`)).length;
};

/** What integrators do. */
const useStack = async (place: Place, stack: DeployedStack): Promise<void> => {
  await step(
    'the demo',
    // In a program of its own, because its names may be in use.
    async () => runDemo(place, stack, (await newProgram(place, stack)).apiKey),
    (webhooks) => `${webhooks} webhooks`,
  );
  await step(
    'tests of the API',
    () => runApiSuite(place, stack),
    (passed) => `${passed} passed`,
  );
};

/** Deploys dev with records in it, as its last commit or as this version. */
const deployFilled = async (place: Place, source: string | undefined) => {
  const stack = await step(
    `deploy dev${source ? ', the last commit' : ''}`,
    () => deploy(place, { stage: 'dev', ...(source && { source }) }),
    ({ resources }) => `${resources} resources`,
  );
  const { apiKey, programId } = await newProgram(place, stack);
  return { stack, apiKey, programId, before: await step('create records', () => fill(stack, apiKey)) };
};

/** The stage dev: an upgrade from the last commit with data in the tables, and what integrators and operators do. */
const rehearseDev = async (place: Place): Promise<void> => {
  const source = await earlierVersion(place.folder);
  if (!source) console.log('          skipped the upgrade: there is no earlier commit with two stacks');
  const oneStack = await checkout(place.folder, lastOneStackVersion);
  if (!oneStack) console.log('          skipped the move out of one stack: the history does not reach back to it');
  const { apiKey, programId, before } = await (oneStack
    ? moveFromOneStack(place, { oneStack, source, step, fill, readAll })
    : deployFilled(place, source));
  const stack = await step('deploy dev, this version, over it', () => deploy(place, { stage: 'dev' }));
  expectEqual('records after the upgrade', await readAll(stack, apiKey), before);
  await useStack(place, stack);
  await checkRefusal(place, stack);
  await step('sign in', () => signIn(place, stack, 'owner@example.com'));
  await step('redrive a dead letter', () => checkRedrive(place, stack, programId));
  await step(
    'the doctor',
    () => checkHealth(place, stack),
    (warnings) => `no problem, ${warnings.length} warnings`,
  );
  await step('destroy dev', () => destroy(place, stack));
  expectEqual('number of tables that dev leaves', await tablesOf(place, stack.name), 0);
};

const idempotencyKey = randomUUID();

/** Deploys new, empty tables, and restores both by point-in-time recovery of the old ones. */
const loseTables = async (place: Place, stack: DeployedStack, apiKey: string): Promise<DeployedStack> => {
  const createAgain = ({ outputs }: DeployedStack) =>
    clientOf({ ...stack, outputs }, apiKey).coupons.create({ name: 'Once', percentOff: 10 }, { idempotencyKey });
  const created = await createAgain(stack);
  const readEvents = (of: DeployedStack) => clientOf(of, apiKey).events.list({ after: 'start' }).toArray({ max: 1000 });
  await eventually('the event of the last change is stored', async () =>
    (await readEvents(stack)).some(({ data }) => 'id' in data && data.id === created.id),
  );
  const [before, events] = [await readAll(stack, apiKey), await readEvents(stack)];
  const settings = { RECORDS_GENERATION: '2', TRAFFIC_GENERATION: '2' };
  const next = await step('deploy prod with new tables', () => deploy(place, { stage: 'prod', settings }));
  const at = ['--at', new Date().toISOString()];
  const restored = await step(
    'restore the records',
    () => admin(place, next, 'restore', '--from-table', stack.outputs.TableName ?? '', ...at),
    ({ programs, items, tokens }) => `${programs} program, ${items} items, ${tokens} key`,
  );
  expectEqual('programs left alone, and conflicts of the restore', [restored.leftAlone, restored.conflicts], [[], []]);
  expectEqual('records after the restore', await readAll(next, apiKey), before);
  expectEqual('events without the lost table traffic', await readEvents(next), []);
  const traffic = await step(
    'restore the traffic',
    () => admin(place, next, 'restore', '--traffic', '--from-table', stack.outputs.TrafficTableName ?? '', ...at),
    ({ items, tokens }) => `${items} items, ${tokens} key`,
  );
  expectEqual('conflicts of the traffic', traffic.conflicts, 0);
  expectEqual('events after the restore', await readEvents(next), events);
  expectEqual('record of a repeated request', (await createAgain(next)).id, created.id);
  return next;
};

/** The stage prod: new, empty tables are deployed, and restored by point-in-time recovery of the old ones. */
const rehearseProd = async (place: Place): Promise<void> => {
  const stack = await step(
    'deploy prod',
    () => deploy(place, { stage: 'prod' }),
    ({ resources }) => `${resources} resources`,
  );
  const { apiKey } = await newProgram(place, stack);
  await step('create records', () => fill(stack, apiKey));
  await step('work for every worker', async () => {
    await useEveryWorker(place, stack, apiKey);
    await checkEveryWorker(place);
  });
  const next = await loseTables(place, stack, apiKey);
  await useStack(place, next);
  await step(
    'the doctor',
    () => checkHealth(place, next),
    (warnings) => `no problem, ${warnings.length} warnings`,
  );
  await step(
    'destroy the service of prod',
    () => destroy(place, next, [next.name]),
    () => 'its data stay',
  );
  const attempt = await destroy(place, next, [dataStackNameOf(next.name)]).catch((error: Error) => error.message);
  expectEqual('refusal to destroy the data of prod', attempt.includes('TerminationProtection'), true);
  // The tables of both generations, and the copies that the restores read.
  expectEqual('number of tables that prod leaves', await tablesOf(place, stack.name), 6);
};

const rehearse = async (place: Place): Promise<void> => {
  const { emulator, iamCheck } = place;
  const environment = `aws://${accountId}/${region}`;
  await Promise.all([
    // Not in the project's folder, where it would synthesize the app first.
    step('cdk bootstrap', () =>
      run(['cdk', 'bootstrap', environment], { cwd: place.folder, env: emulator.environment }),
    ),
    step('cdk synth and diff, without account and network', () => diffOffline(place, 'prod')),
  ]);
  await rehearseDev(place);
  await rehearseProd(place);
  const { calls, refused } = iamCheck.seen;
  console.log(`          ${calls} calls of functions were checked by IAM, ${refused.length} refused`);
  expectEqual('calls that IAM refused', refused, []);
};

const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const emulator = await startEmulator(folder);
if (!emulator) console.log('The rehearsal was skipped: Python 3 or the package index is not available');
else {
  // It is in a process group of its own, which Ctrl-C does not reach.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void emulator.stop().finally(() => process.exit(1)));
  const [reverseProxy, iamCheck] = await Promise.all([startReverseProxy(), startIamCheck(emulator.port)]);
  try {
    await rehearse({ folder, emulator, reverseProxy, iamCheck });
    console.log(`The rehearsal succeeded after ${Math.round((performance.now() - startedAt) / 1000)} s`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    for (const line of iamCheck.seen.refused.slice(0, 20)) console.error(line);
    process.exitCode = 1;
  } finally {
    reverseProxy.stop();
    iamCheck.stop();
    await emulator.stop();
  }
}
// The log of the emulator helps to find the reason of a failure.
if (process.exitCode === undefined) rmSync(folder, { recursive: true, force: true });
else console.error(`See ${join(folder, 'emulator.log')}`);
