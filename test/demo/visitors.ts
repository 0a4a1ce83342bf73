import type { Client } from '../../shared/client/surface.ts';

type AffiliateRecord = Awaited<ReturnType<Client['affiliates']['get']>>;

/** The click that came of following each link. */
export type Clicks = ReadonlyMap<string, string>;

const browsers = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
];
const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const sites = ['https://www.instagram.com/', 'https://coffee-blog.example/best-beans', 'https://news.example/', ''];

/** Of one address no more than 60 are counted a minute. */
const visitsOf = (at: number): number => (at < 9 ? 5 - (at % 4) : 1);
const linksFollowed = 26;

const follow = async (address: string, userAgent: string, referer: string): Promise<string | null> => {
  const headers = { 'user-agent': userAgent, ...(referer && { referer }) };
  const response = await fetch(address, { headers, redirect: 'manual' });
  const location = response.headers.get('location');
  return location === null ? null : new URL(location).searchParams.get('click');
};

/**
 * People follow the links of affiliates, some of them twice, and a few bots do. None where the program has no page to lead to.
 *
 * @param origin where the program's links are followed, such as `http://localhost:3000`
 */
export const followLinks = async (
  client: Client,
  origin: string,
  affiliates: readonly AffiliateRecord[],
): Promise<Clicks> => {
  const clicks = new Map<string, string>();
  const { handle } = await client.program.get();
  for (const [at, { affiliateLinks }] of affiliates.slice(0, linksFollowed).entries()) {
    const link = affiliateLinks[0]?.link ?? '';
    const address = `${origin}/r/${handle}/${link}`;
    for (let visit = 0; visit < visitsOf(at); visit++) {
      const browser = `${browsers[visit % browsers.length]} visitor-${at}-${visit}`;
      const click = await follow(address, browser, sites[(at + visit) % sites.length] ?? '');
      if (click === null) return clicks;
      clicks.set(link, click);
    }
    // Neither counts again.
    if (at % 5 === 0) await follow(address, `${browsers[0]} visitor-${at}-0`, '');
    if (at % 6 === 0) await follow(address, bot, '');
  }
  return clicks;
};
