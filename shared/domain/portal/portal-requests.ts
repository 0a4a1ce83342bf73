import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { email, uuid } from '../../contract/fields.ts';
import { send } from '../../platform/queue/send.ts';

/** What strangers ask of a portal. Whether an address is known decides what the worker does, and nothing of what the page does. */
export const PortalRequest = z.strictObject({
  id: z.uuid(),
  at: z.iso.datetime(),
  programId: uuid,
  kind: z.literal('SIGN_IN'),
  email,
});
export type PortalRequest = z.output<typeof PortalRequest>;

/** Leaves the request to the worker. docs/behavior.md#signing-in-to-the-portal */
export const sendPortalRequest = (request: Omit<PortalRequest, 'id' | 'at'>, now: Date): Promise<void> => {
  const message: PortalRequest = { id: randomUUID(), at: now.toISOString(), ...request };
  return send('portal-requests', message, request.programId);
};
