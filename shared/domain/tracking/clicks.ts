import { isbot } from 'isbot';
import * as z from 'zod';
import { maxHostCharacters, otherHost } from '../statistics/host-names.ts';

/** One click on its way to the worker that counts it. It says nothing of the visitor but a hash. */
export const ClickMessage = z.strictObject({
  programId: z.string(),
  linkId: z.string(),
  affiliateId: z.string(),
  visitor: z.string(),
  at: z.iso.datetime(),
  referrer: z.string().nullable(),
});
export type ClickMessage = z.infer<typeof ClickMessage>;

type Headers = Readonly<Record<string, string | undefined>>;

/** Not a person who looks at the page: a bot, or a browser that loads it in advance. docs/behavior.md#what-is-counted-as-a-click */
export const isMachine = (method: string, headers: Headers): boolean => {
  const userAgent = headers['user-agent'];
  const purpose = [headers['sec-purpose'], headers.purpose, headers['x-moz'], headers['x-purpose']].join(' ');
  return method !== 'GET' && method !== 'POST'
    ? true
    : !userAgent || isbot(userAgent) || /prefetch|prerender|preview/i.test(purpose);
};

/** The host of a page, without `www.`; null for what is none, and for the program's own sites; a long one is `other`. */
export const referringHost = (referrer: string | undefined, ownHosts: readonly string[]): string | null => {
  if (!referrer || !URL.canParse(referrer)) return null;
  const { protocol, hostname } = new URL(referrer);
  const host = hostname.replace(/^www\./, '');
  if (!/^https?:$/.test(protocol) || host === '' || ownHosts.includes(hostname)) return null;
  return host.length > maxHostCharacters ? otherHost : host;
};

const minuteMilliseconds = 60_000;
const maxAddresses = 10_000;

/** How many clicks of one address a function counts in a minute for a program. In its memory, so that refusing one costs nothing. */
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
