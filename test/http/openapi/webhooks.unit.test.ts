import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { CatalogueEntry } from '../../../events/family.ts';
import { webhookPathsOf, webhooksOf } from '../../../shared/http/openapi/webhooks.ts';

const example = {
  id: '019a0000-0000-7000-8000-0000000000e0',
  timestamp: '2026-02-02T12:00:00.000Z',
  actor: null,
  data: {},
};
const entryOf = (type: CatalogueEntry['type']): CatalogueEntry => ({
  type,
  description: `Of ${type}.`,
  schema: z.object({ type: z.literal(type) }),
  example: { ...example, type },
});

describe('the webhook of a type of event', () => {
  it('is one for each type, with an operation named after it', () => {
    const webhooks = webhooksOf([entryOf('sale.created'), entryOf('promotional_code.deleted')]);
    expect(Object.keys(webhooks)).toEqual(['sale.created', 'promotional_code.deleted']);
    expect(webhooks).toMatchObject({
      'sale.created': { $ref: '#/components/pathItems/SaleCreated' },
      'promotional_code.deleted': { $ref: '#/components/pathItems/PromotionalCodeDeleted' },
    });
    expect(webhookPathsOf([entryOf('sale.created'), entryOf('promotional_code.deleted')])).toMatchObject({
      SaleCreated: { post: { operationId: 'onSaleCreated' } },
      PromotionalCodeDeleted: { post: { operationId: 'onPromotionalCodeDeleted' } },
    });
  });

  it('needs no key, is signed, and says what is received and what is tried again', () => {
    const header = (name: string) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
      description: expect.stringMatching(/\.$/),
      example: expect.stringMatching(/./),
    });
    expect(webhookPathsOf([entryOf('sale.created')])).toEqual({
      SaleCreated: {
        post: {
          operationId: 'onSaleCreated',
          tags: ['Webhook events'],
          summary: 'sale.created',
          security: [],
          description: 'Of sale.created.',
          parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  $ref: '#/components/schemas/SaleCreatedEvent',
                  $defs: {
                    SaleCreatedEvent: {
                      type: 'object',
                      properties: { type: expect.objectContaining({ type: 'string', const: 'sale.created' }) },
                      required: ['type'],
                      additionalProperties: false,
                    },
                  },
                },
                example: { ...example, type: 'sale.created' },
              },
            },
          },
          responses: {
            '2XX': { description: expect.stringContaining('Received.') },
            '4XX': { description: expect.stringContaining('410 deactivates the endpoint.') },
          },
        },
      },
    });
  });
});
