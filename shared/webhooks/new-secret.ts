import { randomBytes } from 'node:crypto';

/** Standard Webhooks: `whsec_` and the standard base64 of 32 random bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
