import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { findConnection } from '../../shared/domain/programs/repository.ts';
import { once } from '../../shared/http/idempotency.ts';
import { subscribe } from '../../shared/webhooks/endpoints/subscriptions.ts';
import { makeProgram, request } from '../support/program.ts';
import { connectorUrl, platformWith } from './platform.ts';

it('a subscription whose request died before its response was kept is returned to the same request, and made once', async () => {
  const { programId } = await makeProgram();
  const token = await connectorToken(programId, 'platform.example', new Date());
  const keyId = (await findConnection(programId))?.id ?? '';
  const content = { url: `https://hooks.example.com/${randomUUID()}`, eventTypes: ['sale.created' as const] };
  const idempotencyKey = randomUUID();
  const startedAt = new Date();
  let made = '';
  const died = once(
    {
      programId,
      keyId,
      apiKey: token,
      endpoint: 'POST /api/automation/webhooks',
      idempotencyKey,
      content: [content, {}],
      now: startedAt,
    },
    async () => {
      made = (await subscribe({ programId, keyId }, content, startedAt)).id;
      throw new Error('killed');
    },
  );
  await expect(died).rejects.toThrow('killed');
  const again = await request('POST', connectorUrl('/webhooks'), {
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify(content),
  });
  expect([again.status, again.body.id]).toEqual([200, made]);
  expect((await platformWith(token).get('/webhooks')).body).toHaveLength(1);
});
