import { isbot } from 'isbot';
import { maxHostCharacters, otherHost } from '../statistics/host-names.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Not a person who looks at the page: a bot, or a browser that loads it in advance. docs/behavior.md#what-is-counted-as-a-click */
export const isMachine = (method: string, headers: Headers): boolean => {
  const userAgent = headers['user-agent'];
  const purpose = [headers['sec-purpose'], headers.purpose, headers['x-moz'], headers['x-purpose']].join(' ');
  return method !== 'GET' && method !== 'POST'
    ? true
    : !userAgent || isbot(userAgent) || /prefetch|prerender|preview/i.test(purpose);
};

const withoutWww = (hostname: string): string => hostname.replace(/^www\./, '');

/** The host of a page, without `www.`; null if it is not a web page or one of the program's own sites; a long one is `other`. */
export const referringHost = (referrer: string | undefined, ownHosts: readonly string[]): string | null => {
  if (!referrer || !URL.canParse(referrer)) return null;
  const { protocol, hostname } = new URL(referrer);
  const host = withoutWww(hostname);
  const isOwn = ownHosts.some((own) => withoutWww(own) === host);
  if (!/^https?:$/.test(protocol) || host === '' || isOwn) return null;
  return host.length > maxHostCharacters ? otherHost : host;
};

/** More than a person makes, and the people behind one address of a company or a phone network. docs/behavior.md#what-is-counted-as-a-click */
export const clicksOfSourceInMinute = 60;

const minuteMilliseconds = 60_000;
const maxAddresses = 10_000;

/** Limits how many clicks of an address this process sends to the worker, per minute and program. In memory, so a refusal costs nothing; the worker enforces the exact limit. */
export class ClickLimit {
  readonly #perMinute: number;
  readonly #counts = new Map<string, { minute: number; count: number }>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  allows(who: string, now: Date): boolean {
    const minute = Math.floor(now.getTime() / minuteMilliseconds);
    const known = this.#counts.get(who);
    const count = known?.minute === minute ? known.count + 1 : 1;
    this.#counts.delete(who);
    this.#counts.set(who, { minute, count });
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > maxAddresses && oldest !== undefined) this.#counts.delete(oldest);
    return count <= this.#perMinute;
  }
}
