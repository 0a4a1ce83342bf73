import type { PublicAddress } from './tracking.ts';

export const unsubscribePath = '/mails/unsubscribe/{token}';

/** Addresses that mails lead to, for people who have no account. docs/behavior.md#unsubscribing */
export const mailAddresses = [
  {
    id: 'unsubscribe',
    path: unsubscribePath,
    function: 'mail-unsubscribe',
    needs: ['mail-links:use', 'mail-addresses:create', 'PROGRAM:read'],
  },
] as const satisfies readonly PublicAddress[];
