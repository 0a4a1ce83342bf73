import { appUrl } from './app-url.ts';

/**
 * The headers of every page: no script at all, nothing from elsewhere, no framing, nothing kept by caches. Decisions,
 * section 7.
 *
 * @param formTargets where forms of the page may lead beside this application, redirects after them included
 */
export const securityHeaders = (formTargets: readonly string[] = []): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`: browsers then hide the origin of our own forms from us.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  ...(appUrl().protocol === 'https:' && { 'strict-transport-security': 'max-age=63072000' }),
});
