import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalStack, startLocalStack } from '../../infra/start/local-stack.ts';
import { eventually } from '../support/events.ts';
import { startScriptedReceiver } from '../support/receiver.ts';
import { callApi } from './started-stack.ts';

// A stack of its own, because the others' schedule is shorter than the chain that Lambda allows to any function.

const dataFolder = mkdtempSync(join(tmpdir(), 'long-chains-'));
const attempts = 18;
let stack: LocalStack;

beforeAll(async () => {
  const environment = { WEBHOOK_RETRY_SECONDS: Array.from({ length: attempts - 1 }, () => '0.1').join() };
  stack = await startLocalStack({ port: 0, dataFolder, ephemeral: true, environment });
});
afterAll(async () => {
  await stack.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

it('a delivery makes all attempts of its schedule, more than the invocations that Lambda allows in a loop', async () => {
  const receiver = await startScriptedReceiver(() => 500);
  const { body: webhook } = await callApi(stack, 'POST', '/webhooks', { url: receiver.url('/'), eventTypes: ['*'] });
  const { body: delivery } = await callApi(stack, 'POST', '/webhooks/test', { webhookId: webhook.id });
  const isFailed = async () => {
    const { body: log } = await callApi(stack, 'GET', `/webhook-deliveries?webhookId=${webhook.id}`);
    return log.some(({ id, status }: { id: string; status: string }) => id === delivery.id && status === 'FAILED');
  };
  await eventually('the delivery given up', isFailed, 100_000);
  expect(receiver.at('/')).toHaveLength(attempts);
  receiver.stop();
}, 120_000);
