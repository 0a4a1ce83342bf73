import type { OnHold } from '../../domain/payouts/on-hold.ts';
import { isOnHold } from '../../domain/payouts/on-hold.ts';
import { payableAtOf, type StoredSale } from '../../domain/sales/rules.ts';
import { moneyText } from '../components/money.tsx';
import { dayText, Time } from '../components/time.tsx';

/** Such as `$20.00 on hold until Dec 14, 2026`. */
export const onHoldText = (onHold: OnHold | undefined, currency: string): string | undefined =>
  onHold &&
  `${onHold.isComplete ? '' : 'At least '}${moneyText(onHold.amountMinor, currency)} on hold until ${dayText(onHold.until)}`;

export const unpaidText = ({ reviewStatus }: StoredSale): string => {
  if (reviewStatus === 'REJECTED') return 'Nothing';
  return reviewStatus === 'HELD' ? 'After the review' : 'Not yet';
};

export const WhenPaid = ({ sale, now }: { sale: StoredSale; now: Date }) => {
  if (sale.paidAt) return <Time at={sale.paidAt} to="day" />;
  return <>{isOnHold(sale, now) ? `On hold until ${dayText(payableAtOf(sale))}` : unpaidText(sale)}</>;
};
