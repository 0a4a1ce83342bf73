export type CappedKind = 'PROMOTIONAL_CODE' | 'COUPON';

export interface Redeemable {
  id: string;
  createdAt: string;
  maxRedemptions: number | null;
  timesRedeemed: number;
  uncappedUses: number;
  cappedSince: string | null;
  isCapEdited: boolean;
  isSettled: boolean;
}
