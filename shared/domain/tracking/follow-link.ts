import { begin } from '../../platform/concurrency/begin.ts';
import { logError } from '../../platform/logs/log.ts';
import { quickSend } from '../../platform/queue/quick-send.ts';
import { clientBlock } from '../access/source-address.ts';
import { createClickId } from './click-id.ts';
import type { ClickMessage } from './click-message.ts';
import { ClickLimit, clicksOfSourceInMinute, isMachine, referringHost } from './clicks.ts';
import { destinationOf } from './destination.ts';
import { findTarget, type Target, type TrackedLink, type TrackedProgram } from './find-target.ts';
import { visitorOf } from './visitor.ts';

export interface Browser {
  readonly method: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const limit = new ClickLimit(clicksOfSourceInMinute);

/** False if the address is over its limit in this process; its clicks are then not sent to the worker. */
export const isWithinLimit = (programId: string, { address }: Browser, now: Date): boolean =>
  limit.allows(`${programId} ${clientBlock(address)}`, now);

export const hostOfVisit = ({ baseUrls }: TrackedProgram, referrer: string | null | undefined): string | null =>
  referringHost(
    referrer ?? undefined,
    baseUrls.map((url) => new URL(url).hostname),
  );

/** Sends the click to the worker that counts it. A click that is not counted is not worth an error: the visitor goes on. */
export const countClick = async (
  { program, link }: { program: TrackedProgram; link: TrackedLink },
  { method, address, headers }: Browser,
  referrer: string | null,
  now: Date,
): Promise<void> => {
  if (isMachine(method, headers)) return;
  try {
    const message: ClickMessage = {
      programId: program.id,
      linkId: link.id,
      affiliateId: link.affiliateId,
      ...(await visitorOf(address, headers['user-agent'] ?? '', now)),
      at: now.toISOString(),
      referrer,
    };
    await quickSend('clicks', message, program.id);
  } catch (error) {
    logError('click not counted', error, { programId: program.id });
  }
};

const creditOf = async ({ program, link }: Target, host: string | null, now: Date) =>
  link && { ref: link.link, click: await createClickId(program, link.id, now, host) };

interface Followed {
  readonly handle: string;
  readonly link: string;
  readonly query: URLSearchParams;
}

/** Where an address such as `/r/shop/amara` leads; undefined if nowhere. docs/behavior.md#following-a-link */
export const followLink = async (
  { handle, link: slug, query }: Followed,
  browser: Browser,
  now: Date,
): Promise<URL | undefined> => {
  const target = await findTarget(handle.toLowerCase(), slug);
  if (!target) return undefined;
  const { program, link } = target;
  const host = hostOfVisit(program, browser.headers.referer);
  const counting = begin(
    link && !isMachine(browser.method, browser.headers) && isWithinLimit(program.id, browser, now)
      ? countClick({ program, link }, browser, host, now)
      : Promise.resolve(),
  );
  const credit = await creditOf(target, host, now);
  await counting;
  return destinationOf({ baseUrls: program.baseUrls, destinationUrl: link?.destinationUrl, query, credit });
};
