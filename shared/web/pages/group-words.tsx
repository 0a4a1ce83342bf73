import type { Group } from '../../domain/groups/rules.ts';
import { type Filled, Select } from '../components/controls.tsx';
import { moneyText } from '../components/money.tsx';

export const groupsPath = (programId: string): string => `/programs/${programId}/groups`;
export const groupPath = (programId: string, groupId: string): string => `${groupsPath(programId)}/${groupId}`;

/** What a sale earns, such as `20 %` or `$5.00 per sale`. */
export const earningText = (
  { rate, amountMinor }: { rate: number | null; amountMinor: number | null },
  currency: string,
): string => (amountMinor === null ? `${rate ?? 0} %` : `${moneyText(amountMinor, currency)} per sale`);

/** What a sale earns in a group without a rule. */
export const baseText = ({ commissionRate: rate, commissionAmountMinor: amountMinor, currency }: Group): string =>
  earningText({ rate, amountMinor }, currency);

/** What an affiliate earns without a rule of its group. */
export const rateOf = ({ commissionRate }: { commissionRate: number | null }, group: Group): string =>
  commissionRate === null ? baseText(group) : `${commissionRate} %`;

export const monthsText = (months: number | null): string =>
  months === null ? 'For ever' : `For ${months} ${months === 1 ? 'month' : 'months'}`;

export const daysText = (days: number): string => `${days} ${days === 1 ? 'day' : 'days'}`;

/** The default group has no value: it is where affiliates are without a choice. */
const valueOf = ({ id, isDefault }: Group): string => (isDefault ? '' : id);

export const GroupSelect = ({
  groups,
  chosen,
  filled,
}: {
  groups: readonly Group[];
  chosen: Group | undefined;
  filled: Filled;
}) => (
  <Select
    name="groupId"
    label="Group"
    hint="What the affiliate earns"
    options={groups
      .toReversed()
      .map((group) => ({ value: valueOf(group), label: `${group.name} (${baseText(group)})` }))}
    chosen={chosen && valueOf(chosen)}
    filled={filled}
  />
);
