import { describe, expect, it, vi } from 'vitest';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { allWebhooks, webhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { rotateSecret } from '../../shared/webhooks/endpoints/rotate-secret.ts';
import { withNewSecret } from '../../shared/webhooks/endpoints/rules.ts';
import {
  newEncryptedSecret,
  newSecretResponse,
  signingSecrets,
  webhookResponse,
} from '../../shared/webhooks/endpoints/secrets.ts';
import { getSubscription } from '../../shared/webhooks/endpoints/subscriptions.ts';
import { updateWebhook } from '../../shared/webhooks/endpoints/update-webhook.ts';
import { at, newProgram, now, outcomeOf } from '../support/domain.ts';
import { interrupted } from '../support/interrupted.ts';
import { storeWebhook } from '../support/webhooks.ts';
import { create, url } from './endpoint-actions.ts';

const update = (programId: string, webhookId: string, fields: object, versions?: number[]) =>
  updateWebhook(programId, { webhookId, ...fields }, versions, now);

const refusedUrl = { status: 400, path: 'url' };

describe('an endpoint', () => {
  it('begins active, untried, with a secret that is encrypted', async () => {
    const { id } = newProgram();
    const webhook = await create(id, { eventTypes: ['sale.created', 'sale.created'] });
    expect(await webhooks.get(id, webhook.id)).toEqual(webhook);
    expect(webhook).toMatchObject({ active: true, isResponsive: false, failingSince: null, connection: null });
    expect(webhook.eventTypes).toEqual(['sale.created']);
    const [secret, ...others] = await signingSecrets(id, webhook, now);
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(others).toEqual([]);
    expect(JSON.stringify(webhook)).not.toContain(secret?.slice('whsec_'.length));
  });

  it.each([
    { given: 'https://example.com', outcome: 'accepted' },
    { given: 'https://example.com:8443/a?b=c', outcome: 'accepted' },
    { given: 'https://example.com:8444', outcome: refusedUrl },
    { given: 'http://example.com', outcome: refusedUrl },
    { given: 'https://user@example.com', outcome: refusedUrl },
    { given: 'https://localhost', outcome: refusedUrl },
    { given: 'https://10.0.0.1', outcome: refusedUrl },
    { given: 'https://169.254.169.254', outcome: refusedUrl },
    { given: 'https://[::1]', outcome: refusedUrl },
  ])('at $given, when it is made and when it is edited', async ({ given, outcome }) => {
    const { id } = newProgram();
    expect(await outcomeOf(() => create(id, { url: given }))).toEqual(outcome);
    const webhook = await create(id);
    expect(await outcomeOf(() => update(id, webhook.id, { url: given }))).toEqual(outcome);
    expect(await webhooks.get(id, webhook.id)).toMatchObject({ url: outcome === 'accepted' ? given : url });
  });

  it('of an extra host may be on loopback, by http and on any port', async () => {
    vi.stubEnv('WEBHOOK_EXTRA_HOSTS', '127.0.0.1');
    const outcomes = await Promise.all(
      ['http://127.0.0.1:9000', 'http://127.0.0.2:9000'].map((one) =>
        outcomeOf(() => create(newProgram().id, { url: one })),
      ),
    );
    vi.unstubAllEnvs();
    expect(outcomes).toEqual(['accepted', refusedUrl]);
  });

  it('that is switched on again, or gets another URL, has not failed; any other edit leaves that', async () => {
    const { id } = newProgram();
    const failing = { failingSince: at(-1000), isResponsive: true };
    const webhook = await storeWebhook(id, failing);
    expect(await update(id, webhook.id, { description: 'Shop' })).toMatchObject(failing);
    expect(await update(id, webhook.id, { url: webhook.url })).toMatchObject(failing);
    const moved = await update(id, webhook.id, { url });
    expect(moved).toMatchObject({ failingSince: null, isResponsive: false });
    expect(await update(id, webhook.id, { active: false })).toMatchObject({ active: false, deactivatedAt: null });
  });

  it.each([
    { versions: undefined, outcome: 'accepted' },
    { versions: [1], outcome: 'accepted' },
    { versions: [2], outcome: { status: 412 } },
  ])('of version 1 where $versions are expected', async ({ versions, outcome }) => {
    const { id } = newProgram();
    const [edited, deleted] = [await create(id), await create(id)];
    expect(await outcomeOf(() => update(id, edited.id, { active: false }, versions))).toEqual(outcome);
    expect(await outcomeOf(() => deleteWebhook(id, deleted.id, new Date(), versions))).toEqual(outcome);
  });

  it('of another program, or of a connection, is none', async () => {
    const { id } = newProgram();
    const [own, subscribed] = [await storeWebhook(id), await storeWebhook(id, {}, 'CONNECTOR')];
    const notFound = { status: 404 };
    expect(await outcomeOf(() => update(newProgram().id, own.id, { active: false }))).toEqual(notFound);
    expect(await outcomeOf(() => update(id, subscribed.id, { active: false }))).toEqual(notFound);
    expect(await outcomeOf(() => rotateSecret(id, subscribed.id, now))).toEqual(notFound);
    expect(await outcomeOf(() => deleteWebhook(id, subscribed.id, new Date()))).toEqual(notFound);
    expect(await outcomeOf(() => deleteWebhook(id, own.id, new Date()))).toBe('accepted');
    expect(await outcomeOf(() => deleteWebhook(id, own.id, new Date()))).toEqual(notFound);
    await expect(getSubscription(id, subscribed.id)).resolves.toMatchObject({ connection: 'CONNECTOR' });
  });
});

describe('a rotated secret', () => {
  const day = 24 * 60 * 60 * 1000;
  it.each([
    { milliseconds: 0, secrets: 2 },
    { milliseconds: day - 1, secrets: 2 },
    { milliseconds: day, secrets: 1 },
  ])('signs with the previous one: $secrets after $milliseconds ms', async ({ milliseconds, secrets }) => {
    const { id } = newProgram();
    const webhook = await create(id);
    const [first] = await signingSecrets(id, webhook, now);
    const rotated = await rotateSecret(id, webhook.id, now);
    const signing = await signingSecrets(id, rotated, new Date(now.getTime() + milliseconds));
    expect(signing).toHaveLength(secrets);
    expect(signing[0]).not.toBe(first);
    expect(signing.includes(first ?? '')).toBe(secrets === 2);
  });

  it('twice ends the first one at once, and a repeated request rotates once', async () => {
    const { id } = newProgram();
    const webhook = await create(id);
    const [first] = await signingSecrets(id, webhook, now);
    await rotateSecret(id, webhook.id, now);
    const again = await rotateSecret(id, webhook.id, now);
    expect(await signingSecrets(id, again, now)).not.toContain(first);
    const repeated = { existingRecordId: async () => webhook.id, recordCreated: () => [] };
    expect(await rotateSecret(id, webhook.id, now, repeated)).toEqual(await webhooks.get(id, webhook.id));
    expect((await webhooks.get(id, webhook.id))?.version).toBe(3);
  });
});

describe('a secret that cannot be decrypted', () => {
  /** As after the loss of the secret webhook-secrets: encrypted with a version that is not there any more. */
  const lost = async (programId: string) => {
    const webhook = await create(programId);
    const [header = '', ...rest] = webhook.sealedSecret.split('.');
    const kid = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), kid: 'lost-version' };
    return { ...webhook, sealedSecret: [Buffer.from(JSON.stringify(kid)).toString('base64url'), ...rest].join('.') };
  };

  it('is null in the response, beside those that can', async () => {
    const { id } = newProgram();
    const [readable, unreadable] = [await create(id), await lost(id)];
    expect(await webhookResponse(id, unreadable)).toMatchObject({ id: unreadable.id, secret: null });
    expect(await webhookResponse(id, readable)).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    await expect(newSecretResponse(id, unreadable)).rejects.toThrow('cannot be decrypted');
  });

  it('signs nothing, and one rotation is enough to sign again', async () => {
    const { id } = newProgram();
    const unreadable = await lost(id);
    await expect(signingSecrets(id, unreadable, now)).rejects.toThrow(
      `No secret of webhook ${unreadable.id} can be decrypted`,
    );
    const fresh = await newEncryptedSecret(id, unreadable.id);
    expect(await signingSecrets(id, withNewSecret(unreadable, fresh, now), now)).toHaveLength(1);
  });
});

describe('race: an endpoint', () => {
  it('keeps two edits, and both rotations', async () => {
    const { id } = newProgram();
    const webhook = await create(id);
    await interrupted(
      () => update(id, webhook.id, { description: 'Shop' }),
      () => rotateSecret(id, webhook.id, now),
    );
    expect(await webhooks.get(id, webhook.id)).toMatchObject({ description: 'Shop', version: 3 });
    expect(await signingSecrets(id, (await webhooks.get(id, webhook.id)) ?? webhook, now)).toHaveLength(2);
  });

  it('that is deleted in between is a 404, and an edit in between does not keep it', async () => {
    const { id } = newProgram();
    const [one, other] = [await create(id), await create(id)];
    const edit = (webhookId: string) => () => update(id, webhookId, { active: false });
    const remove = (webhookId: string) => () => deleteWebhook(id, webhookId, new Date());
    expect(await outcomeOf(() => interrupted(edit(one.id), remove(one.id)))).toEqual({ status: 404 });
    expect(await outcomeOf(() => interrupted(remove(other.id), edit(other.id)))).toBe('accepted');
    expect(await allWebhooks(id)).toEqual([]);
    const third = await create(id);
    expect(await outcomeOf(() => interrupted(remove(third.id), remove(third.id)))).toEqual({ status: 404 });
  });

  it('takes the last slot once', async () => {
    const { id } = newProgram();
    for (let count = 0; count < 49; count++) await create(id);
    const outcome = await outcomeOf(() =>
      interrupted(
        () => create(id),
        () => create(id),
      ),
    );
    expect(outcome).toEqual({ status: 400 });
    expect(await allWebhooks(id)).toHaveLength(50);
  });
});
