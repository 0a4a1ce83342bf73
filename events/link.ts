import { Link } from '../shared/contract/links.ts';
import { linkExample } from '../shared/contract/record-examples.ts';
import { StoredLink } from '../shared/domain/affiliates/link-rules.ts';
import { linkResponses } from '../shared/domain/promotional-codes/link-responses.ts';
import { eventFamily } from './family.ts';

export const linkEvents = eventFamily({
  name: 'link',
  kind: 'LINK',
  noun: 'affiliate link',
  stored: StoredLink,
  response: Link,
  toResponse: async (program, link) => (await linkResponses(program, [link]))[0],
  // Affiliates and codes have events of their own.
  notEdited: ['affiliate', 'program', 'promotionalCodes', 'clicks', 'referrals', 'sales', 'totalRevenue'],
  example: linkExample,
  editedExample: {
    ...linkExample,
    updatedAt: '2026-02-01T12:00:00.000Z',
    link: 'amara',
    promotionalCodes: [{ id: '019a0000-0000-7000-8000-0000000000d1', code: 'AMARA20' }],
    fullURLs: [{ baseUrl: 'https://example.com', fullUrl: 'https://example.com/?ref=amara' }],
  },
});
