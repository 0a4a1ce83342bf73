import { describe, expect, it } from 'vitest';
import { type Api, makeProgram } from '../support/program.ts';

const makeWebhook = async (api: Api, overrides: Record<string, unknown> = {}) => {
  const fields = { url: 'https://example.com/webhooks', eventTypes: ['link.deleted'], description: 'Shop' };
  const response = await api.post('/webhooks', { ...fields, ...overrides });
  expect(response.status, response.text).toBe(200);
  return response.body;
};

describe('PUT /webhooks', () => {
  it('changes what is given, leaves the rest, and returns the record', async () => {
    const api = await makeProgram();
    const webhook = await makeWebhook(api);
    const changes = {
      url: 'https://example.com:8443/other',
      eventTypes: ['sale.created', 'sale.created', '*'],
      active: false,
    };
    const changed = await api.put('/webhooks', { webhookId: webhook.id, ...changes });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body).toEqual({
      ...webhook,
      ...changes,
      eventTypes: ['sale.created', '*'],
      updatedAt: expect.any(String),
    });
    expect((await api.get(`/webhooks?id=${webhook.id}`)).body).toEqual(changed.body);
    const cleared = await api.put('/webhooks', { webhookId: webhook.id, description: null });
    expect(cleared.body).toEqual({ ...changed.body, description: null, updatedAt: expect.any(String) });
  });

  it.each([
    'http://example.com/webhooks',
    'https://user:password@example.com/webhooks',
    'https://example.com:444/webhooks',
    'https://169.254.169.254/latest',
    'https://10.0.0.1/',
    'https://metadata.internal/',
    'nothing',
  ])('refuses the address %s, as POST does, and leaves the one before', async (url) => {
    const api = await makeProgram();
    const created = await api.post('/webhooks', { url });
    expect(created.status).toBe(400);
    expect(created.body).toMatchObject({ error: expect.stringMatching(/^url must/), details: [{ path: 'url' }] });
    const webhook = await makeWebhook(api);
    const { status, body } = await api.put('/webhooks', { webhookId: webhook.id, url });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 400, message: expect.stringMatching(/^url must/), details: [{ path: 'url' }] });
    expect((await api.get(`/webhooks?id=${webhook.id}`)).body).toEqual(webhook);
  });

  it('returns 404 for an endpoint that is not there', async () => {
    const api = await makeProgram();
    const { id: webhookId } = await makeWebhook(api);
    await api.delete('/webhooks', { webhookId });
    const { status, body } = await api.put('/webhooks', { webhookId, active: true });
    expect({ status, body }).toEqual({ status: 404, body: { error: 404, message: 'Webhook not found' } });
  });
});
