import { appUrl } from './session/app-url.ts';

interface Allowed {
  /** Where forms lead, with the redirects after them. */
  formTargets?: readonly string[];
  /** Origins whose pages may show this one in a frame: none unless set. */
  frameAncestors?: readonly string[];
  imageSources?: readonly string[];
  hasFrame?: boolean;
}

/** See docs/behavior.md#sign-in-and-sessions */
export const securityHeaders = ({
  formTargets = [],
  frameAncestors = [],
  imageSources = [],
  hasFrame = false,
}: Allowed = {}): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...imageSources].join(' '),
    "connect-src 'self'",
    ...(hasFrame ? ["frame-src 'self'"] : []),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
    "base-uri 'none'",
  ].join('; '),
  // It cannot name origins, and browsers that know `frame-ancestors` ignore it.
  ...(frameAncestors.length === 0 && { 'x-frame-options': 'DENY' }),
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
