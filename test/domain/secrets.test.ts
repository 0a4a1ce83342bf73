import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import {
  apiKeyText,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  readApiKey,
} from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { findConnection } from '../../shared/domain/programs/repository.ts';
import { decrypt, encrypt } from '../../shared/platform/secrets/encryption.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { disconnect } from '../../shared/webhooks/endpoints/disconnect.ts';
import { apiWith, makeProgram } from '../support/program.ts';

const now = new Date();

describe('a encrypted text', () => {
  it('opens for what it was encrypted for, and for nothing else', async () => {
    const encrypted = await encrypt('key-copies', 'Zoë', 'one');
    expect(encrypted).not.toContain('Zoë');
    expect(await decrypt('key-copies', encrypted, 'one')).toBe('Zoë');
    expect(await decrypt('key-copies', encrypted, 'other')).toBeUndefined();
    expect(await decrypt('webhook-secrets', encrypted, 'one')).toBeUndefined();
  });

  it('is another one each time, and does not open once a character is changed', async () => {
    const encrypted = await encrypt('key-copies', 'the same', 'one');
    expect(await encrypt('key-copies', 'the same', 'one')).not.toBe(encrypted);
    const [header = '', ...others] = encrypted.split('.');
    for (const [at, part] of others.entries()) {
      if (part === '') continue;
      const damaged = others.with(
        at,
        part.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      );
      expect(await decrypt('key-copies', [header, ...damaged].join('.'), 'one')).toBeUndefined();
    }
    for (const nonsense of ['', 'x', 'a.b.c.d.e', `${encrypted}.x`])
      expect(await decrypt('key-copies', nonsense, 'one')).toBeUndefined();
  });
});

describe('the key of a program', () => {
  it('can be read again until it is deleted', async () => {
    const { programId } = await makeProgram();
    const { keyId, apiKey } = await createApiKey(programId, 'Shop', now);
    expect(await apiKeyText(programId, await readApiKey(programId, keyId))).toBe(apiKey);
    await deleteApiKey(programId, keyId, now);
    await expect(readApiKey(programId, keyId)).rejects.toThrow('No such key');
  });
});

describe('the connection of a program', () => {
  it('has one token, even for those who connect at the same moment, and it is not among the keys', async () => {
    const { programId } = await makeProgram();
    const tokens = await Promise.all(
      Array.from({ length: 5 }, () => connectorToken(programId, 'platform.example', now)),
    );
    expect(new Set(tokens).size).toBe(1);
    expect(await connectorToken(programId, 'platform.example', now)).toBe(tokens[0]);
    expect((await apiWith(tokens[0] ?? '').get('/program')).body.id).toBe(programId);
    expect(await listApiKeys(programId)).toHaveLength(1);
    const connection = await findConnection(programId);
    expect(connection?.platforms).toEqual(['platform.example']);
    await expect(deleteApiKey(programId, connection?.id ?? '', now)).rejects.toThrow('No such key');
  });

  it('ends with its token and with what it subscribed to, and with nothing else', async () => {
    const api = await makeProgram();
    const token = await connectorToken(api.programId, 'platform.example', now);
    const body = { url: 'https://example.com/hooks', eventTypes: ['link.deleted' as const], active: true };
    const own = await createWebhook(api.programId, body, now);
    await createWebhook(api.programId, body, now, 'CONNECTOR');
    await disconnect(api.programId, now);
    expect((await apiWith(token).get('/program')).status).toBe(401);
    expect((await api.get('/webhooks')).body.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    await disconnect(api.programId, now);
    expect(await connectorToken(api.programId, 'platform.example', now)).not.toBe(token);
  });
});

it('neither a key nor the secret of an endpoint lies in a table in the clear', async () => {
  const api = await makeProgram();
  const token = await connectorToken(api.programId, 'platform.example', now);
  const { body } = await api.post('/webhooks', { url: 'https://example.com/hooks', eventTypes: ['*'] });
  await api.post('/webhooks/rotate-secret', { webhookId: body.id });
  const rotated = (await api.get(`/webhooks?id=${body.id}`)).body;
  const hidden = [api.apiKey, token, body.secret, rotated.secret];
  expect(new Set(hidden).size).toBe(4);
  for (const TableName of [process.env.RECORDS_TABLE, process.env.TRAFFIC_TABLE]) {
    const stored = await documents.send(
      new ScanCommand({
        TableName,
        FilterExpression: 'contains(pk, :program)',
        ExpressionAttributeValues: { ':program': api.programId },
      }),
    );
    const text = JSON.stringify(stored.Items);
    for (const secret of hidden) expect(text).not.toContain(secret);
  }
});
