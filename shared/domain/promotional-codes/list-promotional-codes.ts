import { ApiError } from '../../contract/errors.ts';
import type { QueryOf } from '../../contract/operation.ts';
import type { listPromotionalCodes as operation } from '../../contract/promotional-codes.ts';
import { Page, type PageRequest } from '../../platform/table/page.ts';
import { affiliateIdOfFilter } from '../affiliates/repository.ts';
import { codesOfAffiliate, codesOfCoupon, codesThatAre, promotionalCodes } from './repository.ts';
import type { StoredPromotionalCode } from './rules.ts';

export const findPromotionalCode = async (
  programId: string,
  { name, value }: { name: 'id' | 'code' | 'externalId'; value: string },
): Promise<StoredPromotionalCode> => {
  const uniqueNames = { code: 'CODE', externalId: 'EXTERNAL_ID' } as const;
  const code =
    name === 'id'
      ? await promotionalCodes.get(programId, value)
      : await promotionalCodes.find(programId, uniqueNames[name], value);
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
