import type { Role } from '../../contract/roles.ts';
import type { IconName } from './icons.tsx';

export interface Section {
  readonly label: string;
  /** Below the program's own path. */
  readonly path: string;
  readonly icon: IconName;
  /** Other paths below which its pages are. */
  readonly alsoAt?: readonly string[];
  /** Who sees it; everybody if absent. */
  readonly role?: Role;
}

interface SectionGroup {
  readonly heading: string;
  readonly sections: readonly Section[];
}

export const sectionGroups: readonly SectionGroup[] = [
  {
    heading: 'Program',
    sections: [
      { label: 'Overview', path: '', icon: 'overview' },
      { label: 'Affiliates', path: '/affiliates', icon: 'affiliates', alsoAt: ['/links', '/groups'] },
      { label: 'Codes & coupons', path: '/promotional-codes', icon: 'codes', alsoAt: ['/coupons'] },
      { label: 'Sales', path: '/sales', icon: 'sales' },
      { label: 'Referrals', path: '/referrals', icon: 'referrals' },
      { label: 'Payouts', path: '/payout-batches', icon: 'payouts' },
      { label: 'Assets', path: '/assets', icon: 'assets' },
      { label: 'Imports', path: '/imports', icon: 'imports', role: 'MANAGER' },
      { label: 'Exports', path: '/exports', icon: 'exports', role: 'MANAGER' },
    ],
  },
  {
    heading: 'Developers',
    sections: [
      { label: 'Webhooks', path: '/webhooks', icon: 'webhooks' },
      { label: 'Events', path: '/events', icon: 'events' },
      { label: 'API keys', path: '/settings/advanced/api-keys', icon: 'keys', role: 'MANAGER' },
      { label: 'Connected apps', path: '/settings/connected-apps', icon: 'apps' },
    ],
  },
];

export const lastSections: readonly Section[] = [
  { label: 'Audit log', path: '/audit-log', icon: 'audit' },
  { label: 'Members', path: '/settings/members', icon: 'affiliates', role: 'OWNER' },
  { label: 'Mails', path: '/settings/mails', icon: 'mails', role: 'OWNER' },
  { label: 'Privacy', path: '/settings/privacy', icon: 'privacy', role: 'OWNER' },
  { label: 'Settings', path: '/settings', icon: 'settings', role: 'OWNER' },
];

const allSections = [...sectionGroups.flatMap(({ sections }) => sections), ...lastSections];

/** The section with the longest path that leads to `path`, which is below the program's own. */
export const sectionOf = (path: string): Section | undefined => {
  const leadsTo = (start: string) => path === start || (start !== '' && path.startsWith(`${start}/`));
  const starts = allSections.flatMap((section) =>
    [section.path, ...(section.alsoAt ?? [])].map((start) => ({ section, start })),
  );
  return starts.filter(({ start }) => leadsTo(start)).sort((one, other) => other.start.length - one.start.length)[0]
    ?.section;
};
