import {
  createAffiliate as affiliateContract,
  updateAffiliate as affiliateUpdate,
} from '../../../shared/contract/affiliates.ts';
import { createCoupon as couponContract } from '../../../shared/contract/coupons.ts';
import { createGroup as groupContract } from '../../../shared/contract/groups.ts';
import { createLink as linkContract } from '../../../shared/contract/links.ts';
import { createPromotionalCode as codeContract } from '../../../shared/contract/promotional-codes.ts';
import { createReferral as referralContract } from '../../../shared/contract/referrals.ts';
import { refundSale as refundContract, createSale as saleContract } from '../../../shared/contract/sales.ts';
import { createAffiliate } from '../../../shared/domain/affiliates/create-affiliate.ts';
import { createLink } from '../../../shared/domain/affiliates/create-link.ts';
import { updateAffiliate } from '../../../shared/domain/affiliates/update-affiliate.ts';
import { createImage, createText } from '../../../shared/domain/assets/manage-assets.ts';
import { createCoupon } from '../../../shared/domain/coupons/create-coupon.ts';
import { createGroup } from '../../../shared/domain/groups/create-group.ts';
import { programs, type StoredProgram } from '../../../shared/domain/programs/repository.ts';
import { createPromotionalCode } from '../../../shared/domain/promotional-codes/create-promotional-code.ts';
import { createReferral } from '../../../shared/domain/referrals/create-referral.ts';
import { createSale } from '../../../shared/domain/sales/create-sale.ts';
import { refundSale } from '../../../shared/domain/sales/refund-sale.ts';
import type { StoredSale } from '../../../shared/domain/sales/rules.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { bodyOf } from '../../support/domain.ts';
import { imageFiles } from '../../support/image-files.ts';
import { payBatch, prepareBatch } from '../../support/payout-batches.ts';

type Terms<Contract extends { body: Parameters<typeof bodyOf>[0]['body'] }> = Parameters<
  typeof bodyOf<Contract['body']>
>[1];

const firstDay = Date.parse('2025-01-01T08:30:15.123Z');
/** A time of its own for each record: a day and some milliseconds after the one before. */
const calendar = () => {
  let days = 0;
  return () => {
    days += 1;
    return new Date(firstDay + days * 86_400_123);
  };
};

/** So that links may lead below it. */
export const setBaseUrls = async (programId: string): Promise<StoredProgram> => {
  const before = await programs.get(programId, programId);
  if (!before) throw new Error('The program is missing');
  const after = { ...before, baseUrls: ['https://shop.example.com'] };
  await writeTogether(programs.updateWrites(programId, before, after));
  return after;
};

const addAssets = async (programId: string, at: Date): Promise<void> => {
  await createText(programId, { title: 'Post', text: 'Spring is here:\n{link}' }, at);
  const files = { putFile: async () => undefined, deleteFile: async () => undefined };
  await createImage(programId, { title: 'Banner', content: imageFiles.PNG }, at, files);
};

/** Fills a program with records of every kind, by the actions of the API, each with what its kind can have. */
export const fillProgram = async (stored: StoredProgram): Promise<void> => {
  const program = await setBaseUrls(stored.id);
  const { id } = program;
  const next = calendar();
  const affiliate = (terms: Terms<typeof affiliateContract>) =>
    createAffiliate(id, bodyOf(affiliateContract, terms), next());
  const coupon = (terms: Terms<typeof couponContract>) => createCoupon(id, bodyOf(couponContract, terms), next());
  const code = (terms: Terms<typeof codeContract>) =>
    createPromotionalCode(program, bodyOf(codeContract, terms), next());
  const referral = (terms: Terms<typeof referralContract>) =>
    createReferral(program, bodyOf(referralContract, terms), next());
  const link = (terms: Terms<typeof linkContract>) => createLink(id, bodyOf(linkContract, terms), next());
  const sale = (terms: Terms<typeof saleContract>) => createSale(program, bodyOf(saleContract, terms), next());
  const refund = ({ id: saleId }: StoredSale, amount?: number) =>
    refundSale(program, bodyOf(refundContract, { saleId: Number(saleId), amount }), undefined, next());

  await addAssets(id, next());
  const partners = { name: 'Partners', commissionType: 'FLAT', commissionAmount: 7.5 } as const;
  const group = await createGroup(program, bodyOf(groupContract, partners), next());
  const amara = await affiliate({
    email: 'amara@example.com',
    firstName: 'Amara',
    lastName: 'Okafor',
    commissionRate: 12.5,
    affiliateLink: 'amara',
    payoutEmail: 'pay@example.com',
    paymentMethod: 'WISE',
    externalId: 'aff-1',
    metadata: { tier: 'gold', '=note': '=HYPERLINK("https://example.com")' },
  });
  await affiliate({ email: 'bjork@example.com', firstName: '=Björk, "B"', affiliateLink: 'bjork' });
  const gone = await affiliate({ email: 'gone@example.com', firstName: 'Gone', affiliateLink: 'gone' });
  await affiliate({ email: 'partner@example.com', firstName: 'Partner', affiliateLink: 'partner', groupId: group.id });
  await link({ link: 'amara-summer', affiliateId: amara.id, destinationUrl: 'https://shop.example.com/summer?a=b' });

  const spring = await coupon({
    name: 'Spring',
    percentOff: 20,
    externalId: 'spring',
    maxRedemptions: 500,
    limitToProducts: true,
    productIds: ['mug', 'cup'],
    collectionIds: ['kitchen'],
    integrationType: 'STRIPE',
    metadata: { season: 'spring' },
  });
  const flat = await coupon({
    name: 'Five off',
    couponType: 'FLAT',
    amountOff: 5.5,
    currency: 'USD',
    duration: 'repeating',
    durationInMonths: 3,
    redeemBy: '2027-01-01T00:00:00.000Z',
  });
  const namesakes = [
    await coupon({ name: 'Same', percentOff: 5 }),
    await coupon({ name: 'Same', percentOff: 6, valid: false }),
  ];
  await code({ couponId: spring.id, code: 'AMARA20', affiliateEmail: 'amara@example.com', maxRedemptions: 100 });
  await code({
    couponId: flat.id,
    code: 'FIVE',
    externalId: 'code-1',
    active: false,
    expiresAt: '2027-02-01T10:00:00.500Z',
    minimumAmount: 20,
    minimumAmountCurrency: 'USD',
    limitToCustomers: true,
    customerId: 'c-9',
    metadata: { seen: 'often' },
  });
  for (const [at, namesake] of namesakes.entries())
    await code({ couponId: namesake.id, code: `SAME${at}`, firstTimeOrder: true });

  await referral({ name: 'Priya', email: 'priya@example.com', affiliateId: 'amara-summer', plan: 'pro' });
  await referral({
    name: 'Quinn',
    email: 'quinn@example.com',
    affiliateEmail: 'bjork@example.com',
    referredUserExternalId: 'user-7',
    metadata: { source: 'newsletter' },
  });
  await referral({ name: 'Rosa', email: 'rosa@example.com', affiliateId: 'gone' });
  await updateAffiliate(
    id,
    bodyOf(affiliateUpdate, { affiliateId: gone.id, affiliateStatus: 'inactive' }),
    undefined,
    next(),
  );

  await sale({ totalEarned: 100, email: 'priya@example.com', externalId: 'order-1', externalInvoiceId: 'invoice-1' });
  const part = await sale({ totalEarned: 49.99, referralId: 'amara-summer', customerId: 'c-2', name: '@Rui' });
  await refund(part, 9.99);
  const whole = await sale({ totalEarned: 20, email: 'quinn@example.com', externalId: 'order-3' });
  await refund(whole);
  await sale({
    totalEarned: 30,
    promoCode: 'AMARA20',
    email: 'sam@example.com',
    product: { productId: 'mug', name: 'Mug', quantity: 2, price: 15.25 },
    metadata: { gift: 'yes' },
  });
  await sale({ totalEarned: 12, referralId: 'bjork', commissionRate: 50, externalId: 'order-5' });
  const flatly = await sale({ totalEarned: 40, referralId: 'partner', externalId: 'order-7' });
  await refund(flatly, 10);
  const batch = await prepareBatch(program, { name: 'Everything so far', periodEnd: next().toISOString() });
  await payBatch(program, batch);
  const late = await sale({ totalEarned: 80, referralId: 'bjork', externalId: 'order-6' });
  await refund(part, 10);
  await prepareBatch(program, { affiliateIds: [late.affiliateId ?? ''] });
};
