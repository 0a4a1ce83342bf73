import * as z from 'zod';
import { instant } from '../fields.ts';
import { webPage } from '../page.ts';

const area = { function: 'web-webhooks', auth: 'session' } as const;
const path = '/programs/{programId}/webhooks/{webhookId}/deliveries/{deliveryId}';

export const showDelivery = webPage({
  ...area,
  id: 'showDelivery',
  method: 'GET',
  path,
  query: z.object({ asked: instant.optional() }),
  needs: ['WEBHOOK:read', 'DELIVERY:read', 'EVENT:read'],
});

const resendDelivery = webPage({
  ...area,
  id: 'resendDelivery',
  requiredPlan: 'BUSINESS',
  method: 'POST',
  path: `${path}/resend`,
  form: z.strictObject({}),
  needs: ['WEBHOOK:read', 'DELIVERY:read', 'deliveries:send'],
});

export const deliveryPages = [showDelivery, resendDelivery] as const;
