import { expect, it } from 'vitest';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { writeAlone } from '../../shared/platform/table/write-alone.ts';
import { cancelDeliveries } from '../../shared/webhooks/delivery/cancel-deliveries.ts';
import type { StoredDelivery } from '../../shared/webhooks/delivery/delivery-rules.ts';
import { CancellationMessage } from '../../shared/webhooks/delivery/redelivery-message.ts';
import { deliveries } from '../../shared/webhooks/delivery/repository.ts';
import { now } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { failedAttempt, storeDelivery, storeProgram, storeWebhook } from '../support/webhooks.ts';

const setUp = async () => {
  const program = await storeProgram();
  const webhook = await storeWebhook(program.id);
  const store = async (fields: Partial<StoredDelivery> = {}, to = webhook) =>
    (await storeDelivery(program.id, to, { id: newRecordId(now), ...fields })).delivery;
  const stored = (id: string) => deliveries.get(program.id, id);
  const run = async () => {
    let [message, steps]: [CancellationMessage | undefined, number] = [
      { programId: program.id, webhookId: webhook.id, deleted: true },
      0,
    ];
    for (; message; steps++) {
      let next: CancellationMessage | undefined;
      await cancelDeliveries(CancellationMessage.parse(JSON.parse(JSON.stringify(message))), {
        now: () => now,
        goOn: async (rest) => {
          next = rest;
        },
      });
      message = next;
    }
    return steps;
  };
  return { program, webhook, store, stored, run };
};

const isCancelled = { status: 'CANCELLED', cancellationReason: 'The endpoint was deleted', nextAttemptAt: null };

it('what waits for a deleted endpoint is cancelled, whether it was tried before or not, and nothing else is', async () => {
  const { program, store, stored, run } = await setUp();
  const fresh = await store();
  const waiting = await store({ attempts: [failedAttempt] });
  const failed = await store({ status: 'FAILED', attempts: [failedAttempt], nextAttemptAt: null });
  const others = await store({}, await storeWebhook(program.id));
  expect(await run()).toBe(1);
  for (const { id } of [fresh, waiting]) expect(await stored(id)).toMatchObject(isCancelled);
  expect(await stored(waiting.id)).toMatchObject({ attempts: [failedAttempt] });
  expect(await stored(failed.id)).toEqual(failed);
  expect(await stored(others.id)).toEqual(others);
  expect(await run()).toBe(1);
});

it('many are cancelled page by page, beside those of another endpoint', async () => {
  const { program, store, stored, run } = await setUp();
  const other = await storeWebhook(program.id);
  const made = await Promise.all(Array.from({ length: 150 }, () => store()));
  const others = await Promise.all(Array.from({ length: 80 }, () => store({}, other)));
  expect(await run()).toBeGreaterThan(1);
  for (const { id } of made) expect(await stored(id)).toMatchObject(isCancelled);
  for (const { id } of others) expect(await stored(id)).toMatchObject({ status: 'PENDING' });
});

it('race: an attempt that succeeds meanwhile stays a success', async () => {
  const { program, store, stored, run } = await setUp();
  const delivery = await store();
  await interrupted(run, async () => {
    await writeAlone(
      deliveries.updateWrites(program.id, delivery, { ...delivery, status: 'SUCCEEDED', nextAttemptAt: null }),
    );
  });
  expect(await stored(delivery.id)).toMatchObject({ status: 'SUCCEEDED', cancellationReason: null });
});
