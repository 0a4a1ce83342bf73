import { shownDays, shownMonths } from '../../contract/pages/list-query.ts';
import { Tabs } from '../components/blocks.tsx';

const names = { this: 'This month', last: 'Last month' } as const;

const presets: readonly (readonly [label: string, query: string])[] = [
  ...shownDays.map((days) => [`${days} days`, `days=${days}`] as const),
  ...shownMonths.map((month) => [names[month], `month=${month}`] as const),
];

export const PeriodTabs = ({ path, preset }: { path: string; preset: string | undefined }) => (
  <Tabs
    label="Period"
    tabs={presets.map(([label, query]) => [label, `${path}?${query}`] as const)}
    current={preset === undefined ? '' : `${path}?${preset}`}
  />
);
