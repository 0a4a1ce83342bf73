import { describe, expect, it } from 'vitest';
import { subscribe as subscription } from '../../shared/contract/connector-webhooks.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { allApiKeys, findConnection } from '../../shared/domain/programs/repository.ts';
import { updateItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { disconnect } from '../../shared/webhooks/endpoints/disconnect.ts';
import { allWebhooks, webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { allSubscriptions, subscribe, unsubscribe } from '../../shared/webhooks/endpoints/subscriptions.ts';
import { bodyOf, now, outcomeOf } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { storeProgram } from '../support/webhooks.ts';
import { create, url } from './endpoint-actions.ts';

/** A program with a connected platform. */
const connected = async () => {
  const { id } = await storeProgram();
  await connectorToken(id, 'platform.example', now);
  const keyId = (await findConnection(id))?.id ?? '';
  return {
    id,
    keyId,
    connect: (input: object = {}) =>
      subscribe({ programId: id, keyId }, bodyOf(subscription, { url, eventTypes: ['sale.created'], ...input }), now),
  };
};

/** As the service does with one that fails for days. */
const switchOff = async (programId: string, webhookId: string) => {
  const webhook = await webhooks.get(programId, webhookId);
  if (!webhook) throw new Error(`${webhookId} is gone`);
  await writeTogether(webhooks.updateWrites(programId, webhook, { ...webhook, active: false }));
};

describe('a subscription', () => {
  it('of the same url and types is the same one, in whatever order, and switched on again', async () => {
    const { id, connect } = await connected();
    const first = await connect({ eventTypes: ['sale.created', 'sale.updated'] });
    const again = await connect({ eventTypes: ['sale.updated', 'sale.created', 'sale.updated'] });
    expect(again.id).toBe(first.id);
    await switchOff(id, first.id);
    expect(await connect({ eventTypes: ['sale.created', 'sale.updated'] })).toMatchObject({
      id: first.id,
      active: true,
    });
    expect((await connect()).id).not.toBe(first.id);
    expect((await connect({ url: `${url}/other` })).id).not.toBe(first.id);
    expect(await allSubscriptions(id)).toHaveLength(3);
  });

  it('ends once, and leaves own endpoints', async () => {
    const { id, connect } = await connected();
    const own = await create(id);
    const one = await connect();
    expect(await outcomeOf(() => unsubscribe(id, own.id, new Date()))).toEqual({ status: 404 });
    await unsubscribe(id, one.id, new Date());
    expect(await outcomeOf(() => unsubscribe(id, one.id, new Date()))).toEqual({ status: 404 });
    expect((await allWebhooks(id)).map((webhook) => webhook.id)).toEqual([own.id]);
  });

  it('goes with its connection, own endpoints stay', async () => {
    const { id, connect } = await connected();
    const own = await create(id);
    await connect();
    await connect({ url: `${url}/other` });
    await disconnect(id, new Date());
    expect((await allWebhooks(id)).map((webhook) => webhook.id)).toEqual([own.id]);
    expect(await findConnection(id)).toBeUndefined();
    expect(await allApiKeys(id)).toHaveLength(1);
    await disconnect(id, new Date());
  });
});

describe('race: a subscription', () => {
  it('that is sent twice at once is made once', async () => {
    const { id, connect } = await connected();
    const made: string[] = [];
    const first = await interrupted(
      () => connect(),
      async () => made.push((await connect()).id),
    );
    expect(made).toEqual([first.id]);
    expect(await allSubscriptions(id)).toHaveLength(1);
  });

  it('whose connection ends in between is a 401, and none is left', async () => {
    const { id, connect } = await connected();
    const outcome = await outcomeOf(() =>
      interrupted(
        () => connect(),
        () => disconnect(id, new Date()),
      ),
    );
    expect(outcome).toEqual({ status: 401 });
    expect(await allWebhooks(id)).toEqual([]);
  });

  it('that is edited in between ends all the same, also with its connection', async () => {
    const { id, connect } = await connected();
    const [one, two] = [await connect(), await connect({ url: `${url}/other` })];
    await interrupted(
      () => unsubscribe(id, one.id, new Date()),
      () => switchOff(id, one.id),
    );
    // The first write of a disconnection is that of the key.
    await interrupted(
      () => disconnect(id, new Date()),
      () => switchOff(id, two.id),
      2,
    );
    expect(await allWebhooks(id)).toEqual([]);
  });

  it('ends where another platform connects while it is disconnected', async () => {
    const { id } = await connected();
    await interrupted(
      () => disconnect(id, new Date()),
      () => connectorToken(id, 'other.example', now),
    );
    expect(await findConnection(id)).toBeUndefined();
  });

  it('that ends twice at once is a 404 for the second', async () => {
    const { id, connect } = await connected();
    const one = await connect();
    const end = () => unsubscribe(id, one.id, new Date());
    expect(await outcomeOf(() => interrupted(end, end))).toEqual({ status: 404 });
    expect(await allWebhooks(id)).toEqual([]);
  });

  it('of a disconnected program is disconnected once', async () => {
    const { id } = await connected();
    await interrupted(
      () => disconnect(id, new Date()),
      () => disconnect(id, new Date()),
    );
    expect(await allApiKeys(id)).toHaveLength(1);
  });

  it('that the service counted down meanwhile is switched on again', async () => {
    const { id, connect } = await connected();
    const { id: webhookId } = await connect();
    await switchOff(id, webhookId);
    await interrupted(
      () => connect(),
      () =>
        updateItem(
          'records',
          { pk: partition(id, 'WEBHOOK'), sk: webhookId },
          {
            UpdateExpression: 'ADD #version :one',
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':one': 1 },
          },
        ),
    );
    expect((await webhooks.get(id, webhookId))?.active).toBe(true);
  });
});
