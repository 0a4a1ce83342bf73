import { appUrl } from './app-url.ts';

/** Each tab that signs in has its own cookie, named by its state. */
export type SignInCookie = `sign-in-${string}`;

export type CookieName = 'session' | SignInCookie;

const isSecure = (): boolean => appUrl().protocol === 'https:';

const prefix = (): string => (isSecure() ? '__Host-' : '');

/** HttpOnly, SameSite=Lax, and Secure under HTTPS. docs/behavior.md#sign-in-and-sessions */
export const setCookie = (name: CookieName, value: string, maxAgeSeconds: number): string =>
  [
    `${prefix()}${name}=${value}`,
    'Path=/',
    `Max-Age=${value ? maxAgeSeconds : 0}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure() ? ['Secure'] : []),
  ].join('; ');

export const endCookie = (name: CookieName): string => setCookie(name, '', 0);

/** Oldest first. Some emulators leave cookies in the header. */
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
