import * as z from 'zod';
import { Application } from '../../contract/applications.ts';
import { email, uuid } from '../../contract/fields.ts';
import { send } from '../../platform/queue/send.ts';

const asked = { id: z.uuid(), at: z.iso.datetime(), programId: uuid, email };

export const SignInRequest = z.strictObject({ kind: z.literal('SIGN_IN'), ...asked });
export type SignInRequest = z.output<typeof SignInRequest>;

export const ApplicationRequest = z.strictObject({
  kind: z.literal('APPLICATION'),
  ...asked,
  firstName: z.string(),
  lastName: z.string(),
  ...Application.pick({ entries: true, terms: true }).shape,
});
export type ApplicationRequest = z.output<typeof ApplicationRequest>;

/** What strangers ask of a portal. Whether an address is known decides what the worker does, and nothing of what the page does. */
export const PortalRequest = z.discriminatedUnion('kind', [SignInRequest, ApplicationRequest]);
export type PortalRequest = z.output<typeof PortalRequest>;

/** Leaves the request to the worker. docs/behavior.md#signing-in-to-the-portal */
export const sendPortalRequest = (request: PortalRequest): Promise<void> =>
  send('portal-requests', request, request.programId);
