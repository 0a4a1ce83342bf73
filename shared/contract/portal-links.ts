import * as z from 'zod';
import { returnedInstant, uuid } from './fields.ts';
import { operation } from './operation.ts';

export const PortalLink = z.object({ url: z.url(), expiresAt: returnedInstant }).meta({ id: 'PortalLink' });

export const portalLinkExample: z.input<typeof PortalLink> = {
  url: 'https://affiliates.example.com/portal/acme/sign-in?token=eyJhbGciOiJkaXIi',
  expiresAt: '2026-02-01T12:15:00.000Z',
};

export const createPortalLink = operation({
  id: 'createPortalLink',
  method: 'POST',
  path: '/portal-links',
  auth: 'key',
  tag: 'Portal links',
  summary: 'Create a link that signs an affiliate in to the portal',
  description:
    'For embedding the portal in a page of yours, and for support. The address is valid for 15 minutes and can be used ' +
    'once; the session that it begins ends after 12 hours. Whoever has it is signed in as the affiliate, so give it to nobody ' +
    'else. In an `iframe` it works on the origins that the settings of the program list. 409 where the affiliate is banned or ' +
    'the portal is off.',
  query: z.strictObject({}),
  body: z.strictObject({ affiliateId: uuid }),
  ids: ['affiliateId'],
  response: PortalLink,
  errors: ['not_found', 'conflict'],
  needs: ['PROGRAM:read', 'AFFILIATE:read', 'sessions:use', 'app-url:use'],
  example: { body: { affiliateId: '019a0000-0000-7000-8000-0000000000a1' } },
});

export const portalLinkOperations = [createPortalLink] as const;
