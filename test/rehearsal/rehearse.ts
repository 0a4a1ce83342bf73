import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { accountId, region } from '../../infra/local/account.ts';
import {
  admin,
  checkHealth,
  checkRedrive,
  checkRefusal,
  clientOf,
  expectEqual,
  runApiSuite,
  runDemo,
} from './checks.ts';
import { startEmulator } from './emulator.ts';
import { startFront } from './front.ts';
import { startIamCheck } from './iam-check.ts';
import { outcomeOf, root, run } from './run.ts';
import { signIn } from './sign-in.ts';
import { clientSettings, type DeployedStack, deploy, destroy, diffOffline, type Place } from './stack.ts';

// `npm run rehearse`: deploys both stages by CloudFormation's API to an emulator of AWS, works with them, and destroys them.

const startedAt = performance.now();

/** Does one part of the rehearsal and prints what it came to. */
const step = async <Result>(name: string, work: () => Promise<Result>, figure?: (result: Result) => unknown) => {
  const begunAt = performance.now();
  const result = await work();
  const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
  console.log(`${seconds.padStart(6)} s  ${name}${figure ? `: ${figure(result)}` : ''}`);
  return result;
};

/** The code of the commit before this one, or of this one while something is not committed; undefined without history. */
const earlierVersion = async (folder: string): Promise<string | undefined> => {
  const env = { PATH: process.env.PATH };
  const { output } = await outcomeOf(['git', 'status', '--porcelain'], { env });
  const revision = output === '' ? 'HEAD~1' : 'HEAD';
  const earlier = join(folder, 'earlier');
  const command = `mkdir ${earlier} && git archive ${revision} | tar -x -C ${earlier}`;
  const { exitCode } = await outcomeOf(['bash', '-o', 'pipefail', '-c', command], { env });
  if (exitCode !== 0) return undefined;
  symlinkSync(join(root, 'node_modules'), join(earlier, 'node_modules'));
  return earlier;
};

const newProgram = (place: Place, stack: DeployedStack) =>
  admin(place, stack, 'program', 'create', '--name', 'Shop', '--owner-email', 'owner@example.com');

const settleMilliseconds = 120_000;

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
  const deadline = Date.now() + settleMilliseconds;
  while (!(await isSettled())) {
    if (Date.now() > deadline) throw new Error('The totals of an affiliate or the codes of its link did not follow');
    await sleep(200);
  }
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

/** The stage dev: an upgrade from the last commit with data in it, and all that integrators and operators do. */
const rehearseDev = async (place: Place): Promise<void> => {
  const source = await earlierVersion(place.folder);
  if (!source) console.log('          the upgrade is left out, because there is no earlier commit here');
  const first = await step(
    `deploy dev${source ? ', the last commit' : ''}`,
    () => deploy(place, { stage: 'dev', ...(source && { source }) }),
    ({ resources }) => `${resources} resources`,
  );
  const { apiKey, programId } = await newProgram(place, first);
  const before = await step('work with it', () => fill(first, apiKey));
  const stack = await step('deploy dev, this version, over it', () => deploy(place, { stage: 'dev' }));
  expectEqual('the data after the upgrade', await readAll(stack, apiKey), before);
  await step(
    'the demo',
    // In a program of its own: it takes names that others may have.
    async () => runDemo(place, stack, (await newProgram(place, stack)).apiKey),
    (webhooks) => `${webhooks} webhooks`,
  );
  await step(
    'tests of the API',
    () => runApiSuite(place, stack),
    (passed) => `${passed} passed`,
  );
  await checkRefusal(place, stack);
  await step('sign in', () => signIn(place, stack, 'owner@example.com'));
  await step('redrive a dead letter', () => checkRedrive(place, stack, programId));
  await step(
    'the doctor',
    () => checkHealth(place, stack),
    (warnings) => `no problem, ${warnings.length} warnings`,
  );
  await step('destroy dev', () => destroy(place, stack));
  expectEqual('the number of tables that dev leaves', await tablesOf(place, stack.name), 0);
};

/** The stage prod: its tables are lost, and come back from point-in-time recovery. */
const rehearseProd = async (place: Place): Promise<void> => {
  const stack = await step(
    'deploy prod',
    () => deploy(place, { stage: 'prod' }),
    ({ resources }) => `${resources} resources`,
  );
  const { apiKey } = await newProgram(place, stack);
  const before = await step('work with it', () => fill(stack, apiKey));
  const settings = { RECORDS_GENERATION: '2', TRAFFIC_GENERATION: '2' };
  const next = await step('deploy prod with new tables', () => deploy(place, { stage: 'prod', settings }));
  const from = ['--from-table', stack.outputs.TableName ?? '', '--at', new Date().toISOString()];
  const restored = await step(
    'restore',
    () => admin(place, next, 'restore', ...from),
    ({ programs, items, tokens }) => `${programs} program, ${items} items, ${tokens} key`,
  );
  expectEqual('what was restored and left alone', [restored.programs, restored.leftAlone], [1, []]);
  expectEqual('what was in the way of the restore', restored.conflicts, []);
  expectEqual('the data after the restore', await readAll(next, apiKey), before);
  await step(
    'the doctor',
    () => checkHealth(place, next),
    (warnings) => `no problem, ${warnings.length} warnings`,
  );
  await step(
    'destroy prod',
    () => destroy(place, next),
    () => 'its tables stay',
  );
  // Those of both generations, and the copy that the restore read from.
  expectEqual('the number of tables that prod leaves', await tablesOf(place, stack.name), 5);
};

const rehearse = async (place: Place): Promise<void> => {
  const { emulator, iamCheck } = place;
  const environment = `aws://${accountId}/${region}`;
  await Promise.all([
    // Elsewhere than in this folder, where it would synthesize the app first.
    step('cdk bootstrap', () =>
      run(['cdk', 'bootstrap', environment], { cwd: place.folder, env: emulator.environment }),
    ),
    step('cdk synth and diff, without account and network', () => diffOffline(place, 'prod')),
  ]);
  await rehearseDev(place);
  await rehearseProd(place);
  const { calls, refused } = iamCheck.seen;
  console.log(`          ${calls} calls of functions were checked by IAM, ${refused.length} refused`);
  expectEqual('what IAM refused', refused, []);
};

const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const emulator = await startEmulator(folder);
if (!emulator) console.log('The rehearsal is left out, because Python or its package index is not there');
else {
  // It is in a process group of its own, which Ctrl-C does not reach.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void emulator.stop().finally(() => process.exit(1)));
  const [front, iamCheck] = await Promise.all([startFront(), startIamCheck(emulator.port)]);
  try {
    await rehearse({ folder, emulator, front, iamCheck });
    console.log(`The rehearsal succeeded after ${Math.round((performance.now() - startedAt) / 1000)} s`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    for (const line of iamCheck.seen.refused.slice(0, 20)) console.error(line);
    process.exitCode = 1;
  } finally {
    front.stop();
    iamCheck.stop();
    await emulator.stop();
  }
}
// After a failure the log of the emulator is of use.
if (process.exitCode === undefined) rmSync(folder, { recursive: true, force: true });
else console.error(`See ${join(folder, 'emulator.log')}`);
