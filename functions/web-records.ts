import { recordPages } from '../shared/contract/pages/records.ts';
import { affiliateHandlers } from '../shared/web/records/affiliates.ts';
import { couponHandlers } from '../shared/web/records/coupons.ts';
import { groupHandlers } from '../shared/web/records/groups.ts';
import { linkHandlers } from '../shared/web/records/links.ts';
import { payoutBatchHandlers } from '../shared/web/records/payout-batches.ts';
import { promotionalCodeHandlers } from '../shared/web/records/promotional-codes.ts';
import { referralHandlers } from '../shared/web/records/referrals.ts';
import { saleHandlers } from '../shared/web/records/sales.ts';
import { webArea } from '../shared/web/web.ts';

export const handler = webArea(recordPages, {
  ...affiliateHandlers,
  ...linkHandlers,
  ...groupHandlers,
  ...couponHandlers,
  ...promotionalCodeHandlers,
  ...saleHandlers,
  ...referralHandlers,
  ...payoutBatchHandlers,
});
