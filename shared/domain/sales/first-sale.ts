import * as z from 'zod';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { affiliates } from '../affiliates/repository.ts';
import { claimFirstSale } from '../affiliates/totals.ts';
import { sendsKind } from '../programs/mail-settings.ts';
import { portalAddress } from '../programs/portal-address.ts';
import { programs } from '../programs/repository.ts';
import { sales, salesOfAffiliate } from './repository.ts';
import { creditedAffiliate, type StoredSale } from './rules.ts';

export const FirstSaleMessage = z.strictObject({ programId: z.string(), saleId: z.string() });
export type FirstSaleMessage = z.output<typeof FirstSaleMessage>;

/** Who sold before is known by the oldest sale; more are read where those are held. */
const oldestRead = 10;

const firstSaleOf = async (programId: string, affiliateId: string, sale: StoredSale): Promise<string> => {
  const oldest = { limit: oldestRead, isOldestFirst: true, isOneRead: true };
  const { items } = await sales.page(programId, oldest, salesOfAffiliate(affiliateId));
  return items.find((one) => one.id < sale.id && creditedAffiliate(one) === affiliateId)?.id ?? sale.id;
};

/** Mails an affiliate about their first sale, once however often and for whichever sale it is asked. docs/behavior.md#first-sale-and-payouts */
export const mailFirstSale = async ({ programId, saleId }: FirstSaleMessage, now: Date): Promise<void> => {
  const [program, sale] = await Promise.all([programs.get(programId, programId), sales.get(programId, saleId)]);
  const affiliateId = creditedAffiliate(sale);
  if (!program || !sale || affiliateId === undefined || !sendsKind(program, 'FIRST_SALE')) return;
  const oldestId = await firstSaleOf(programId, affiliateId, sale);
  const firstId = await claimFirstSale(programId, affiliateId, oldestId);
  if (firstId !== sale.id) return;
  const affiliate = await affiliates.get(programId, affiliateId);
  if (!affiliate || affiliate.status === 'BANNED') return;
  const { commissionEarnedMinor: commissionMinor } = sale;
  const data = { commissionMinor, currency: program.currency, url: portalAddress(program) };
  await sendMail({ programId, kind: 'FIRST_SALE', to: affiliate.email, data, occasion: affiliateId }, now);
};
