import type * as z from 'zod';
import { Link } from '../shared/contract/links.ts';
import { StoredLink } from '../shared/domain/affiliates/link-rules.ts';
import { linkResponses } from '../shared/domain/links/responses.ts';
import { eventFamily } from './family.ts';

const made: z.output<typeof Link> = {
  id: '019a0000-0000-7000-8000-0000000000b1',
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  link: 'amara-okafor',
  affiliate: {
    id: '019a0000-0000-7000-8000-0000000000a1',
    name: 'Amara Okafor',
    email: 'amara.okafor@example.com',
  },
  program: { id: '019a0000-0000-7000-8000-000000000001', name: 'Example', currency: 'USD' },
  promotionalCodes: [],
  clicks: 0,
  referrals: 0,
  sales: 0,
  totalRevenue: 0,
  fullURLs: [{ baseUrl: 'https://example.com', fullUrl: 'https://example.com/?ref=amara-okafor' }],
};

export const linkEvents = eventFamily({
  name: 'link',
  kind: 'LINK',
  noun: 'affiliate link',
  stored: StoredLink,
  response: Link,
  toResponse: async (program, link) => {
    const [response] = await linkResponses(program, [link]);
    if (!response) throw new Error(`Link ${link.id} has no response`);
    return response;
  },
  // Affiliates and codes have events of their own.
  notEdited: ['affiliate', 'program', 'promotionalCodes', 'clicks', 'referrals', 'sales', 'totalRevenue'],
  example: made,
  editedExample: {
    ...made,
    updatedAt: '2026-02-01T12:00:00.000Z',
    link: 'amara',
    promotionalCodes: [{ id: '019a0000-0000-7000-8000-0000000000d1', code: 'AMARA20' }],
    fullURLs: [{ baseUrl: 'https://example.com', fullUrl: 'https://example.com/?ref=amara' }],
  },
});
