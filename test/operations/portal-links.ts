import type { portalLinkOperations } from '../../shared/contract/portal-links.ts';
import type { SamplesOf } from './sample.ts';

export const portalLinkSamples = {
  createPortalLink: {
    playedAfter: 'createAffiliate',
    request: ({ affiliate }) => ({ body: { affiliateId: affiliate.id } }),
    foreign: { affiliateId: ({ affiliate }) => [affiliate.id] },
    measured: {
      'of an affiliate': {
        request: ({ affiliate }) => ({ body: { affiliateId: affiliate.id } }),
        cost: [1, 2, 1],
      },
    },
  },
} satisfies SamplesOf<typeof portalLinkOperations>;
