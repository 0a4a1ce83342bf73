import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operationsByPath } from '../../shared/contract/operations.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { isAlive, memoryMegabytes, processTree } from './processes.ts';
import { callApi, endStack, failedStart, type StartedStack, startStack, startStackByNpm } from './started-stack.ts';

// `npm start` as a person meets it: a process of its own, its data in a folder of its own, on a free port.

const mostMegabytes = 600;
const mostReadySeconds = 5;

let dataFolder: string;
const started: StartedStack[] = [];

const start = async (...options: string[]): Promise<StartedStack> => {
  const stack = await startStack(dataFolder, ...options);
  started.push(stack);
  return stack;
};

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'life-cycle-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((stack) => endStack(stack, 'SIGKILL')));
  rmSync(dataFolder, { recursive: true, force: true });
});

const makeCode = async (stack: StartedStack, couponId: string) => {
  const answer = await callApi(stack, 'POST', '/promotional-codes', { couponId, code: `CODE-${randomUUID()}` });
  expect(answer.status).toBe(200);
  return answer.body;
};

const makeCoupon = async (stack: StartedStack) => {
  const answer = await callApi(stack, 'POST', '/coupons', { name: 'Spring', percentOff: 20 });
  expect(answer.status).toBe(200);
  return answer.body;
};

it('is ready at the address and with the key that stack.json says', async () => {
  const stack = await start();
  expect(stack.pid).toBe(stack.process.pid);
  expect(stack.baseUrl).toBe(`${stack.appUrl}/api/v1`);
  const program = await callApi(stack, 'GET', '/program');
  expect(program).toMatchObject({ status: 200, body: { id: stack.programId, currency: 'USD' } });
});

it('refuses a second start in the same folder and says which process runs', async () => {
  const stack = await start();
  const second = await failedStart(dataFolder, '--port', '0');
  expect(second.exitCode).toBe(1);
  expect(second.output).toContain(`already running at http://localhost:`);
  expect(second.output).toContain(`process ${stack.pid}`);
  expect((await callApi(stack, 'GET', '/program')).status).toBe(200);
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

it('keeps every accepted request, and sends its webhook, when it is killed right after the answer', async () => {
  const receiver = await startScriptedReceiver();
  let stack = await start();
  const coupon = await makeCoupon(stack);
  const body = { url: receiver.url('/'), eventTypes: ['promotional_code.created'] };
  expect((await callApi(stack, 'POST', '/webhooks', body)).status).toBe(200);
  const codeIds: string[] = [];
  for (let round = 0; round < 3; round++) {
    const code = await makeCode(stack, coupon.id);
    await endStack(stack, 'SIGKILL');
    codeIds.push(code.id);
    stack = await start();
    expect((await callApi(stack, 'GET', `/promotional-codes?id=${code.id}`)).body).toEqual(code);
  }
  await expect
    .poll(() => new Set(receiver.at('/').map(({ event }) => event.data.id)), { timeout: 10_000 })
    .toEqual(new Set(codeIds));
  receiver.stop();
}, 60_000);

it('keeps its data and its key from one start to the next', async () => {
  const first = await start();
  const coupon = await makeCoupon(first);
  expect(await endStack(first)).toBe(0);
  const second = await start();
  expect(second).toMatchObject({ programId: first.programId, apiKey: first.apiKey });
  expect((await callApi(second, 'GET', `/coupons?id=${coupon.id}`)).body).toEqual(coupon);
});

it('--reset starts with nothing', async () => {
  const first = await start();
  const coupon = await makeCoupon(first);
  await endStack(first);
  const second = await start('--reset');
  expect(second.programId).not.toBe(first.programId);
  expect((await callApi(second, 'GET', `/coupons?id=${coupon.id}`)).status).toBe(404);
  expect((await callApi({ ...second, apiKey: first.apiKey }, 'GET', '/program')).status).toBe(401);
});

it('--ephemeral writes nothing into the data folder', async () => {
  const first = await start('--ephemeral');
  await makeCoupon(first);
  expect(existsSync(join(dataFolder, 'stack.json'))).toBe(false);
  expect(await endStack(first)).toBe(0);
  const second = await start('--ephemeral');
  expect((await callApi(second, 'GET', '/coupons')).body).toEqual([]);
});

it('says which of its options it knows when it is given another', async () => {
  const { exitCode, output } = await failedStart(dataFolder, '--prot', '3000');
  expect(exitCode).toBe(1);
  expect(output).toContain('--port N');
});

describe.runIf(process.platform === 'linux')('its processes', () => {
  it('are all gone after SIGTERM, and stack.json with them', async () => {
    const stack = await start();
    const pids = processTree(stack.pid);
    expect(pids.length).toBeGreaterThan(1);
    expect(await endStack(stack)).toBe(0);
    await expect.poll(() => pids.filter(isAlive), { timeout: 5000 }).toEqual([]);
    expect(existsSync(join(dataFolder, 'stack.json'))).toBe(false);
  });

  it('are all gone after SIGTERM to npm', async () => {
    const stack = await startStackByNpm(dataFolder);
    started.push(stack);
    const pids = processTree(stack.process.pid ?? 0);
    expect(pids).toContain(stack.pid);
    stack.process.kill('SIGTERM');
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });

  it('are all gone after kill -9, the embedded database included', async () => {
    const stack = await start();
    const pids = processTree(stack.pid);
    await endStack(stack, 'SIGKILL');
    await expect.poll(() => pids.filter(isAlive), { timeout: 5000 }).toEqual([]);
  });

  it(`take less than ${mostMegabytes} MB when every function has run, and less than ${mostReadySeconds} s to be ready`, async () => {
    const receiver = await startScriptedReceiver();
    const stack = await start();
    expect(stack.readySeconds).toBeLessThan(mostReadySeconds);
    expect((await callApi(stack, 'POST', '/webhooks', { url: receiver.url('/') })).status).toBe(200);
    for (const path of [...operationsByPath.keys(), '/no-such-path']) await callApi(stack, 'GET', path);
    const affiliate = await callApi(stack, 'POST', '/affiliates', { email: 'a@example.com', firstName: 'Amara' });
    const coupon = await makeCoupon(stack);
    const code = { couponId: coupon.id, affiliateId: affiliate.body.id, code: 'ONE' };
    expect((await callApi(stack, 'POST', '/promotional-codes', code)).status).toBe(200);
    await receiver.waitFor('/', 3);
    const megabytes = memoryMegabytes(processTree(stack.pid));
    console.log(`The local stack takes ${Math.round(megabytes)} MB.`);
    expect(megabytes).toBeLessThan(mostMegabytes);
    expect(readFileSync(join(dataFolder, 'stack.json'), 'utf8')).toContain(stack.apiKey);
    receiver.stop();
  });
});
