import { appUrl } from './app-url.ts';

/** Where sign-ins that are under way at the same time, each in its own tab, are remembered. */
export const signInCookies = ['sign-in-1', 'sign-in-2', 'sign-in-3'] as const;
export type SignInCookie = (typeof signInCookies)[number];

/** The names of our cookies, without the prefix that a browser binds to this host and to https. */
export type CookieName = 'session' | 'return-to' | SignInCookie;

const isSecure = (): boolean => appUrl().protocol === 'https:';

const fullName = (name: CookieName): string => (isSecure() ? `__Host-${name}` : name);

/**
 * The value of a `Set-Cookie` header: HttpOnly, SameSite=Lax, and Secure wherever the application is served by https.
 * A cookie without a value is forgotten at once.
 */
export const setCookie = (name: CookieName, value: string, maxAgeSeconds = value ? 600 : 0): string =>
  [
    `${fullName(name)}=${value}`,
    'Path=/',
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure() ? ['Secure'] : []),
  ].join('; ');

/** Tells the browser to forget a cookie. */
export const endCookie = (name: CookieName): string => setCookie(name, '');

/** Our cookies of a request. API Gateway lists them, some emulators leave them in the header. */
export const readCookie = (
  { cookies, headers }: { cookies?: string[] | undefined; headers: Record<string, string | undefined> },
  name: CookieName,
): string | undefined => {
  const prefix = `${fullName(name)}=`;
  const all = cookies ?? headers.cookie?.split(/; */) ?? [];
  return all.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
};
