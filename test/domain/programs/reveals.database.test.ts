import { describe, expect, it } from 'vitest';
import { bounds } from '../../../shared/contract/bounds.ts';
import { createApiKey } from '../../../shared/domain/programs/api-keys.ts';
import { apiKeys } from '../../../shared/domain/programs/repository.ts';
import { recordReveal } from '../../../shared/domain/programs/reveals.ts';
import { deleteItem, updateItem } from '../../../shared/platform/table/items.ts';
import { partition } from '../../../shared/platform/table/partition.ts';
import { webhooks } from '../../../shared/webhooks/endpoints/repository.ts';
import { now, outcomeOf } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';
import { storeProgram, storeWebhook } from '../../support/webhooks.ts';

const later = new Date(now.getTime() + 60_000);

type Kind = Parameters<typeof recordReveal>[0];

/** What has a secret that a page shows: how one is made, and its records. */
const secrets = {
  API_KEY: { store: apiKeys, make: async (programId: string) => (await createApiKey(programId, 'Server', now)).keyId },
  WEBHOOK: { store: webhooks, make: async (programId: string) => (await storeWebhook(programId)).id },
} satisfies Record<Kind, object>;

const kinds = Object.keys(secrets) as Kind[];

const begin = async (kind: Kind) => {
  const { id: programId } = await storeProgram();
  const { store, make } = secrets[kind];
  const id = await make(programId);
  const find = () => store.get(programId, id);
  const read = async () => {
    const record = await find();
    if (!record) throw new Error('It is gone');
    return record;
  };
  const reveal = async (email: string, at = now) => recordReveal(kind, programId, await read(), email, at);
  const key = { pk: partition(programId, kind), sk: id };
  return { key, find, read, reveal };
};

describe.each(kinds)('who has seen a secret of %s', (kind) => {
  it('is known by person, from the first time, without a new version', async () => {
    const { read, reveal } = await begin(kind);
    const { version } = await read();
    expect(await reveal('a@example.com')).toEqual([{ email: 'a@example.com', at: now.toISOString() }]);
    await reveal('a@example.com', later);
    await reveal('b@example.com', later);
    expect(await read()).toMatchObject({
      version,
      seenBy: [
        { email: 'a@example.com', at: now.toISOString() },
        { email: 'b@example.com', at: later.toISOString() },
      ],
    });
  });

  it('loses nobody when two see it at once', async () => {
    const { read, reveal } = await begin(kind);
    await interrupted(
      () => reveal('a@example.com'),
      () => reveal('b@example.com'),
    );
    expect((await read()).seenBy.map(({ email }) => email).sort()).toEqual(['a@example.com', 'b@example.com']);
  });

  it('is recorded also for one from before this was kept', async () => {
    const { key, read, reveal } = await begin(kind);
    await updateItem('records', key, { UpdateExpression: 'REMOVE seenBy' });
    expect((await read()).seenBy).toEqual([]);
    await reveal('a@example.com');
    expect((await read()).seenBy).toHaveLength(1);
  });

  it('is bounded, and nothing is recorded for one that is deleted in between', async () => {
    const { key, reveal } = await begin(kind);
    const seenBy = Array.from({ length: bounds.revealsOfSecret - 1 }, (_, at) => ({ email: `${at}`, at: '' }));
    await updateItem('records', key, {
      UpdateExpression: 'SET seenBy = :seenBy',
      ExpressionAttributeValues: { ':seenBy': seenBy },
    });
    await reveal('last@example.com');
    expect(await outcomeOf(() => reveal('another@example.com'))).toMatchObject({ status: 409 });
    // Who has seen it before still may.
    expect(await reveal('last@example.com', later)).toHaveLength(bounds.revealsOfSecret);
    const other = await begin(kind);
    const remove = () => deleteItem('records', other.key);
    expect(await outcomeOf(() => interrupted(() => other.reveal('a@example.com'), remove))).toMatchObject({
      status: 409,
    });
    expect(await other.find()).toBeUndefined();
  });
});
