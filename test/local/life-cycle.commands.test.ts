import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { functionsOf, routesOf } from '../../shared/contract/routes.ts';
import { fillInSignIn, openBrowser } from '../support/browser.ts';
import { type ScriptedReceiver, startScriptedReceiver } from '../support/receiver.ts';
import { isAlive, memoryMegabytes, processTree } from './processes.ts';
import { callApi, endStack, failedStart, type StartedStack, startStack, startStackByNpm } from './started-stack.ts';

// `npm start` as a person meets it: a process of its own, its data in a folder of its own, on a free port.

/** Processes are looked at in /proc. */
const isLinux = process.platform === 'linux';
const maxMegabytes = 600;
const maxReadySeconds = 5;

// A start takes a second or two here, but several on a busy machine.

let dataFolder: string;
const started: StartedStack[] = [];
const readySeconds: number[] = [];

const start = async (folder: string, ...options: string[]): Promise<StartedStack> => {
  const stack = await startStack(folder, ...options);
  started.push(stack);
  readySeconds.push(stack.readySeconds);
  return stack;
};

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'life-cycle-'));
});
afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));
afterAll(async () => {
  await Promise.all(started.map((stack) => endStack(stack, 'SIGKILL')));
});

const makeCode = async (stack: StartedStack, couponId: string) => {
  const response = await callApi(stack, 'POST', '/promotional-codes', { couponId, code: `CODE-${randomUUID()}` });
  expect(response.status).toBe(200);
  return response.body;
};

const makeCoupon = async (stack: StartedStack) => {
  const response = await callApi(stack, 'POST', '/coupons', { name: 'Spring', percentOff: 20 });
  expect(response.status).toBe(200);
  return response.body;
};

// Each of these goes on with the stack that the one before it leaves: starting is what takes the time here.
describe('a stack', () => {
  const folder = mkdtempSync(join(tmpdir(), 'life-cycle-'));
  let stack: StartedStack;
  let receiver: ScriptedReceiver;
  beforeAll(async () => {
    receiver = await startScriptedReceiver();
    stack = await start(folder);
  });
  afterAll(async () => {
    await endStack(stack, 'SIGKILL');
    receiver.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is at the address and has the key that stack.json says', async () => {
    expect(stack.pid).toBe(stack.process.pid);
    expect(stack.baseUrl).toBe(`${stack.appUrl}/api/v1`);
    const program = await callApi(stack, 'GET', '/program');
    expect(program).toMatchObject({ status: 200, body: { id: stack.programId, currency: 'USD' } });
  });

  it('refuses a second start in the same folder and says which process runs', async () => {
    const second = await failedStart(folder, '--port', '0');
    expect(second.exitCode).toBe(1);
    expect(second.output).toContain('already running at http://localhost:');
    expect(second.output).toContain(`process ${stack.pid}`);
    expect((await callApi(stack, 'GET', '/program')).status).toBe(200);
  });

  it.runIf(isLinux)(
    `takes less than ${maxMegabytes} MB when every function has run`,
    async () => {
      expect((await callApi(stack, 'POST', '/webhooks', { url: receiver.url('/all') })).status).toBe(200);
      // Of the API, the connector and the web application, whose sign-in loads the identity provider too.
      for (const { routes } of functionsOf(routesOf('automation')))
        await (await fetch(`${stack.appUrl}${routes[0]?.path}`)).text();
      await callApi(stack, 'GET', '/no-such-path');
      const affiliate = await callApi(stack, 'POST', '/affiliates', { email: 'a@example.com', firstName: 'Amara' });
      const coupon = await makeCoupon(stack);
      const code = { couponId: coupon.id, affiliateId: affiliate.body.id, code: 'ONE' };
      expect((await callApi(stack, 'POST', '/promotional-codes', code)).status).toBe(200);
      await receiver.waitFor('/all', 3);
      const megabytes = memoryMegabytes(processTree(stack.pid));
      console.log(`The local stack takes ${Math.round(megabytes)} MB.`);
      expect(megabytes).toBeLessThan(maxMegabytes);
      // 36 cold starts, beside the tests of other files.
    },
    180_000,
  );

  it('killed right after a response, keeps all that it has, sends the webhook and leaves no process', async () => {
    const first = stack;
    const browser = openBrowser(first.appUrl);
    const { email, password } = first;
    await fillInSignIn(browser, await browser.follow('/sign-in'), email, { password });
    const coupon = await makeCoupon(stack);
    const body = { url: receiver.url('/codes'), eventTypes: ['promotional_code.created'] };
    expect((await callApi(stack, 'POST', '/webhooks', body)).status).toBe(200);
    const pids = isLinux ? processTree(stack.pid) : [];
    const code = await makeCode(stack, coupon.id);
    await endStack(stack, 'SIGKILL');
    // The embedded database must not outlive the stack: a second one would serve the same file.
    await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([]);
    stack = await start(folder);
    expect(stack).toMatchObject({ programId: first.programId, apiKey: first.apiKey, password });
    expect((await callApi(stack, 'GET', `/promotional-codes?id=${code.id}`)).body).toEqual(code);
    const { status, text } = await openBrowser(stack.appUrl, browser.cookies).visit('/programs');
    expect([status, text.includes('Demo program')]).toEqual([200, true]);
    await expect
      .poll(() => new Set(receiver.at('/codes').map(({ event }) => event.data.id)), { timeout: 30_000 })
      .toEqual(new Set([code.id]));
  });

  it('stopped, says that nothing runs; --reset deletes its data and its key', async () => {
    const first = stack;
    const coupon = await makeCoupon(first);
    expect(await endStack(first)).toBe(0);
    expect(existsSync(join(folder, 'stack.json'))).toBe(false);

    stack = await start(folder, '--reset');
    expect(stack.programId).not.toBe(first.programId);
    expect((await callApi(stack, 'GET', `/coupons?id=${coupon.id}`)).status).toBe(404);
    expect((await callApi({ ...stack, apiKey: first.apiKey }, 'GET', '/program')).status).toBe(401);
  });
});

it('says when its port is in use, and stops', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const { exitCode, output } = await failedStart(dataFolder, '--port', String(port));
  taken.close();
  expect(exitCode).toBe(1);
  expect(output).toContain(`Port ${port} is in use`);
  expect(existsSync(join(dataFolder, 'stack.json'))).toBe(false);
});

it('says which of its options it knows when it is given another', async () => {
  const { exitCode, output } = await failedStart(dataFolder, '--prot', '3000');
  expect(exitCode).toBe(1);
  expect(output).toContain('--port N');
});

it.runIf(isLinux)(
  'by npm and --ephemeral, tells its address, keeps no data and leaves no process after SIGTERM',
  async () => {
    const stack = await startStackByNpm(dataFolder, '--ephemeral');
    started.push(stack);
    await makeCoupon(stack);
    // The demo and the operator's commands find it there.
    expect(readdirSync(dataFolder)).toEqual(expect.arrayContaining(['endpoints.json', 'stack.json']));
    expect(existsSync(join(dataFolder, 'dynamodb'))).toBe(false);
    const pids = processTree(stack.process.pid ?? 0);
    expect(pids).toContain(stack.pid);
    stack.process.kill('SIGTERM');
    await expect.poll(() => pids.filter(isAlive), { timeout: 30_000 }).toEqual([]);
    expect(readdirSync(dataFolder)).toEqual(['lock.db']);
  },
);

it(`can be ready within ${maxReadySeconds} s when nothing has changed`, () => {
  // The fastest of the starts above: others may have had to share the machine.
  expect(Math.min(...readySeconds)).toBeLessThan(maxReadySeconds);
});
