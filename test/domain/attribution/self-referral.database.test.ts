import { describe, expect, it } from 'vitest';
import { affiliateOf, isSelfReferral } from '../../../shared/domain/attribution/attribution.ts';
import { newProgram, storeAffiliate } from '../../support/domain.ts';
import { makeStoredCode } from '../../support/stored-records.ts';

describe('the customer of a sale', () => {
  it.each([
    { is: 'its affiliate', email: 'amara@example.com', isSelf: true },
    { is: 'somebody else', email: 'priya@example.com', isSelf: false },
    { is: 'nobody', email: null, isSelf: false },
    {
      is: 'its affiliate, by a code of it alone',
      email: 'amara@example.com',
      code: { limitToAffiliate: true },
      isSelf: false,
    },
    { is: 'its affiliate, by a code of it for all', email: 'amara@example.com', code: {}, isSelf: true },
    {
      is: 'its affiliate, by a code of another one alone',
      email: 'amara@example.com',
      code: { limitToAffiliate: true, affiliateId: 'another' },
      isSelf: true,
    },
  ])('that is $is is a self-referral: $isSelf', async ({ email, code, isSelf }) => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program, { email: 'amara@example.com' });
    const redeemed = code && makeStoredCode({ affiliateId: affiliate.id, ...code });
    expect(await isSelfReferral(program.id, affiliate, email, redeemed)).toBe(isSelf);
    expect(await isSelfReferral(program.id, undefined, email, redeemed)).toBe(false);
  });

  it('has an affiliate only where one is credited', async () => {
    const program = newProgram();
    const affiliate = await storeAffiliate(program);
    expect(await affiliateOf(program.id, affiliate.id)).toEqual(affiliate);
    expect(await affiliateOf(newProgram().id, affiliate.id)).toBeUndefined();
    expect(await affiliateOf(program.id, null)).toBeUndefined();
  });
});
