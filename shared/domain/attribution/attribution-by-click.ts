import { fieldError } from '../../contract/errors.ts';
import { type OnFound, readNothingBeside } from '../../platform/concurrency/on-found.ts';
import { links } from '../affiliates/link-repository.ts';
import { affiliates } from '../affiliates/repository.ts';
import { programs } from '../programs/repository.ts';
import { type Click, readClickId } from '../tracking/click-id.ts';
import type { Attribution, Expected } from './attribution.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const toleranceMilliseconds = 60_000;

const invalid = () => fieldError('clickId', 'clickId is no click of this program', 'click_invalid');

/** 400 `click_invalid` for what this service has not signed for this program. docs/behavior.md#click-ids */
export const requireClick = async (programId: string, clickId: string): Promise<Click> => {
  const click = await readClickId(clickId);
  if (click?.programId !== programId) throw invalid();
  return click;
};

/** The affiliate whose link was followed. 400 `click_expired` after the program's `attributionDays`. docs/behavior.md#click-ids */
export const attributionByClick = async (
  programId: string,
  { linkId, clickedAt }: Click,
  now: Date,
  onFound: OnFound<Expected> = readNothingBeside,
): Promise<Attribution> => {
  const [program, link] = await Promise.all([programs.get(programId, programId), links.get(programId, linkId)]);
  if (!program || !link) throw invalid();
  const age = now.getTime() - Date.parse(clickedAt);
  if (age < -toleranceMilliseconds) throw invalid();
  if (age > program.attributionDays * dayMilliseconds)
    throw fieldError('clickId', `clickId is older than ${program.attributionDays} days`, 'click_expired');
  onFound({ affiliateId: link.affiliateId });
  const affiliate = await affiliates.get(programId, link.affiliateId);
  if (!affiliate) throw invalid();
  return { affiliate, affiliateLinkId: link.id, via: 'CLICK', clickedAt, redeemed: undefined };
};
