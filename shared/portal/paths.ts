import type { StoredProgram } from '../domain/programs/repository.ts';
import { portalPath } from '../web/pages/portal-path.ts';

const sections = {
  overview: 'Overview',
  links: 'Links',
  codes: 'Codes',
  sales: 'Sales',
  payouts: 'Payouts',
  assets: 'Assets',
  'payout-details': 'Payout details',
  profile: 'Profile',
} as const;

type SectionName = keyof typeof sections;

export const sectionPath = (program: StoredProgram, name: SectionName): string => `${portalPath(program)}/${name}`;

export const sectionsOf = (program: StoredProgram): (readonly [label: string, path: string])[] =>
  Object.entries(sections).map(([name, label]) => [label, `${portalPath(program)}/${name}`]);
