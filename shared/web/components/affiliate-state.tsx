import type { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { State } from './table.tsx';

export const affiliateStatusWords = { ACTIVE: 'Active', INACTIVE: 'Inactive', BANNED: 'Banned' } as const;
const tones = { ACTIVE: 'good', INACTIVE: 'warn', BANNED: 'bad' } as const;

export const AffiliateState = ({ status }: { status: StoredAffiliate['status'] }) => (
  <State tone={tones[status]}>{affiliateStatusWords[status]}</State>
);
