import * as z from 'zod';
import { ApiError, fieldError } from '../../contract/errors.ts';
import { linkSlug, uuid } from '../../contract/fields.ts';
import { begin } from '../../platform/concurrency/begin.ts';
import { affiliates } from '../affiliates/repository.ts';
import { newestActiveCode } from '../promotional-codes/newest-code.ts';
import { createClickId } from './click-id.ts';
import { findTarget } from './find-target.ts';
import { type Browser, countClick, hostOfVisit, isWithinLimit } from './follow-link.ts';

export const NewClick = z.strictObject({
  programId: uuid,
  link: linkSlug,
  url: z.string().max(2000).nullish(),
  referrer: z.string().max(2000).nullish(),
});
type NewClick = z.output<typeof NewClick>;

interface RegisteredClick {
  clickId: string;
  affiliate: { firstName: string };
  code: string | null;
}

const tooMany = () => new ApiError('rate_limited', undefined, { headers: { 'retry-after': '60' } });

/** 400 for a link that nobody can be credited for, 429 for an address over its limit. docs/behavior.md#click-ids */
export const registerClick = async (
  { programId, link: slug, referrer }: NewClick,
  browser: Browser,
  now: Date,
): Promise<RegisteredClick> => {
  const target = await findTarget(programId, slug);
  const { program, link } = target ?? {};
  if (!program || !link) throw fieldError('link', 'link names no link of an active affiliate of this program');
  if (!isWithinLimit(program.id, browser, now)) throw tooMany();
  const host = hostOfVisit(program, referrer);
  const counting = begin(countClick({ program, link }, browser, host, now));
  const [clickId, affiliate, code] = await Promise.all([
    createClickId(program, link.id, now, host),
    affiliates.get(program.id, link.affiliateId),
    program.showsCodes ? newestActiveCode(program.id, link.affiliateId, now) : null,
  ]);
  await counting;
  return { clickId, affiliate: { firstName: affiliate?.firstName ?? '' }, code };
};
