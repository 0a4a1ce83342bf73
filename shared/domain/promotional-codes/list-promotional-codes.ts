import { ApiError } from '../../contract/errors.ts';
import type { QueryOf } from '../../contract/operation.ts';
import type { listPromotionalCodes as operation } from '../../contract/promotional-codes.ts';
import { type OnFound, readNothingBeside } from '../../platform/concurrency/on-found.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { affiliateIdOfFilter } from '../affiliates/repository.ts';
import { type CodeOwnerIds, findCode } from './find-code.ts';
import { codesOfAffiliate, codesOfCoupon, codesThatAre, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

export interface CodeSelector {
  name: 'id' | 'code' | 'externalId';
  value: string;
}

/** 404 if there is none. */
export const findPromotionalCode = async (
  programId: string,
  { name, value }: CodeSelector,
  onFound: OnFound<CodeOwnerIds> = readNothingBeside,
): Promise<StoredPromotionalCode> => {
  const uniqueNames = { code: 'CODE', externalId: 'EXTERNAL_ID' } as const;
  const code =
    name === 'id'
      ? await promotionalCodes.get(programId, value)
      : await findCode(programId, uniqueNames[name], value, onFound);
  if (!code) throw new ApiError('not_found', 'Promotional code not found');
  return code;
};

/** The narrowest filter is the index; the others are applied while reading. */
export const listPromotionalCodes = async (
  programId: string,
  query: Pick<QueryOf<typeof operation>, 'couponId' | 'affiliateId' | 'affiliateEmail' | 'active' | 'redeemed'>,
  request: PageRequest,
): Promise<Page<StoredPromotionalCode>> => {
  const { couponId, active, redeemed } = query;
  const affiliateId = await affiliateIdOfFilter(programId, query);
  if (affiliateId === null) return new Page([], undefined);
  const index =
    (affiliateId && codesOfAffiliate(affiliateId)) ||
    (couponId && codesOfCoupon(couponId)) ||
    (active !== undefined ? codesThatAre(active) : undefined);
  return promotionalCodes.page(
    programId,
    request,
    index || undefined,
    (code) =>
      (!couponId || code.couponId === couponId) &&
      (active === undefined || code.active === active) &&
      (redeemed === undefined || code.timesRedeemed > 0 === redeemed),
  );
};
