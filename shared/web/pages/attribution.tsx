import type { StoredAttribution, Via } from '../../domain/attribution/attribution.ts';
import type { Entry } from '../components/blocks.tsx';
import { Time } from '../components/time.tsx';

const words: Readonly<Record<Via, string>> = {
  CODE: 'The code of the affiliate',
  REFERRAL: 'The referral that was named',
  CUSTOMER: 'The customer’s referral',
  CLICK: 'A click on the affiliate’s link',
  LINK: 'The link that was named',
  IMPORT: 'The import',
  MANUAL: 'The affiliate was named',
};

export const attributionEntry = (attribution: StoredAttribution): Entry => [
  'Credited because of',
  attribution && words[attribution.via],
  attribution?.clickedAt && <Time key="clicked" at={attribution.clickedAt} />,
];
