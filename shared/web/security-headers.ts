import { appUrl } from './session/app-url.ts';

/** `formTargets` includes redirects after a form. docs/behavior.md#sign-in-and-sessions */
export const securityHeaders = (formTargets: readonly string[] = [], hasFrame = false): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ...(hasFrame ? ["frame-src 'self'"] : []),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // With `no-referrer` browsers would hide the origin of our own forms.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  ...(appUrl().protocol === 'https:' && { 'strict-transport-security': 'max-age=63072000' }),
});

/** In place of those above. A mail has its styles on its elements. */
export const headersOfFramed = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "base-uri 'none'",
    'sandbox',
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
} as const;
