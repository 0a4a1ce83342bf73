import { appUrl } from './app-url.ts';

/** A sign-in that is under way in a tab has a cookie of its own, named by the beginning of its state. */
export type SignInCookie = `sign-in-${string}`;

/** The names of our cookies, without the prefix that a browser binds to this host and to https. */
export type CookieName = 'session' | SignInCookie;

const isSecure = (): boolean => appUrl().protocol === 'https:';

const prefix = (): string => (isSecure() ? '__Host-' : '');

/**
 * The value of a `Set-Cookie` header: HttpOnly, SameSite=Lax, and Secure wherever the application is served by https.
 * A cookie without a value is deleted by the browser at once.
 */
export const setCookie = (name: CookieName, value: string, maxAgeSeconds: number): string =>
  [
    `${prefix()}${name}=${value}`,
    'Path=/',
    `Max-Age=${value ? maxAgeSeconds : 0}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure() ? ['Secure'] : []),
  ].join('; ');

/** Tells the browser to delete a cookie. */
export const endCookie = (name: CookieName): string => setCookie(name, '', 0);

/**
 * The cookies of a request by their names, oldest first as browsers send them. API Gateway lists them, some emulators
 * leave them in the header.
 */
export const readCookies = ({
  cookies,
  headers,
}: {
  cookies?: string[] | undefined;
  headers: Record<string, string | undefined>;
}): ReadonlyMap<string, string> => {
  const all = cookies ?? headers.cookie?.split(/; */) ?? [];
  return new Map(
    all
      .filter((cookie) => cookie.startsWith(prefix()))
      .map((cookie) => {
        const [name = '', value = ''] = cookie.slice(prefix().length).split(/=(.*)/s);
        return [name, value] as const;
      }),
  );
};
