import * as z from 'zod';
import { destinationUrl, email, linkSlug, paging, recordFields, uuid } from './fields.ts';
import { operation } from './operation.ts';
import { recordName } from './record-name.ts';

export const Link = z
  .object({
    ...recordFields,
    link: z.string(),
    affiliate: z.object({ id: z.uuid(), name: z.string(), email: z.string() }),
    program: z.object({ id: z.uuid(), name: z.string(), currency: z.string() }),
    promotionalCodes: z
      .array(z.object({ id: z.uuid(), code: z.string() }))
      .describe('The newest 100 codes of the affiliate.'),
    destinationUrl: z.string().nullable(),
    clicks: z.int(),
    referrals: z.int(),
    sales: z.int(),
    totalRevenue: z.number(),
    fullURLs: z
      .array(z.object({ baseUrl: z.string(), fullUrl: z.string() }))
      .describe("The link on each of the program's sites: the base URL with the query parameter `ref`."),
  })
  .meta({ id: 'Link' });

export const listLinks = operation({
  id: 'listLinks',
  method: 'GET',
  path: '/links',
  auth: 'key',
  tag: 'Links',
  summary: 'List affiliate links',
  description: 'With `id` or `link` (case-insensitive): that one link, or 404. Otherwise an array, newest first.',
  query: z.strictObject({
    id: uuid.optional(),
    link: linkSlug.optional(),
    affiliateId: uuid.optional(),
    affiliateEmail: email.optional(),
    ...paging,
  }),
  response: Link,
  lists: true,
  selectors: ['id', 'link'],
  errors: ['not_found'],
  needs: [
    'LINK:read',
    'LINK:list',
    'LINK:list:GSI1',
    'LINK_CODE:list',
    'AFFILIATE:read',
    'TOMBSTONE:read',
    'PROGRAM:read',
  ],
  example: { query: { link: 'amara-okafor' } },
});

const readLink = operation({
  id: 'readLink',
  method: 'GET',
  path: '/links/{id}',
  auth: 'key',
  tag: 'Links',
  summary: 'Read an affiliate link',
  parameters: z.strictObject({ id: recordName('Link', uuid, { link: ['link', linkSlug] }) }),
  query: z.strictObject({}),
  response: Link,
  errors: ['not_found'],
  needs: ['LINK:read', 'LINK_CODE:list', 'AFFILIATE:read', 'TOMBSTONE:read', 'PROGRAM:read'],
  example: { parameters: { id: 'link:amara-okafor' } },
});

export const createLink = operation({
  id: 'createLink',
  method: 'POST',
  path: '/links',
  auth: 'key',
  tag: 'Links',
  summary: 'Create an affiliate link',
  description: 'The link is unique in the program (case-insensitive). An affiliate has up to 100 links.',
  query: z.strictObject({}),
  body: z
    .strictObject({
      link: linkSlug,
      affiliateId: uuid.nullish(),
      affiliateEmail: email.nullish(),
      destinationUrl: destinationUrl.nullish(),
    })
    .superRefine((body, context) => {
      if (body.affiliateId == null && body.affiliateEmail == null)
        context.addIssue({ code: 'custom', path: ['affiliateId'], message: 'or affiliateEmail is required' });
    }),
  ids: ['affiliateId'],
  response: Link,
  errors: ['already_exists', 'not_found'],
  needs: [
    'AFFILIATE:read',
    'AFFILIATE:change',
    'LINK:create',
    'IDEMPOTENCY:create',
    'IDEMPOTENCY:read',
    'LINK:read',
    'LINK_CODE:list',
    'TOMBSTONE:read',
    'PROGRAM:read',
    'LINK:delete',
  ],
  example: { body: { link: 'amara-summer', affiliateEmail: 'amara.okafor@example.com' } },
});

const oneLink = (body: { id?: string | undefined; link?: string | undefined }, context: z.RefinementCtx) => {
  if (body.id === undefined && body.link === undefined)
    context.addIssue({ code: 'custom', path: ['id'], message: 'or link is required' });
};

export const updateLink = operation({
  id: 'updateLink',
  method: 'PUT',
  path: '/links',
  auth: 'key',
  tag: 'Links',
  summary: 'Change an affiliate link',
  description:
    '`id` or `link` selects it; with both, they must name the same link. `newLink` renames it, `destinationUrl` says where ' +
    'it leads.',
  query: z.strictObject({}),
  body: z
    .strictObject({
      newLink: linkSlug.optional(),
      destinationUrl: destinationUrl.nullable().optional(),
      id: uuid.optional(),
      link: linkSlug.optional(),
    })
    .superRefine(oneLink)
    .superRefine((body, context) => {
      if (body.newLink === undefined && body.destinationUrl === undefined)
        context.addIssue({ code: 'custom', path: ['newLink'], message: 'or destinationUrl is required' });
    }),
  ids: ['id', 'link'],
  response: Link,
  errors: ['already_exists', 'not_found', 'precondition_failed'],
  needs: [
    'LINK:read',
    'LINK:change',
    'LINK:create',
    'LINK:delete',
    'AFFILIATE:change',
    'LINK_CODE:list',
    'AFFILIATE:read',
    'PROGRAM:read',
  ],
  example: { body: { link: 'amara-summer', newLink: 'amara-autumn' } },
});

export const deleteLink = operation({
  id: 'deleteLink',
  method: 'DELETE',
  path: '/links',
  auth: 'key',
  tag: 'Links',
  summary: 'Delete an affiliate link',
  description:
    '`id` or `link` selects it; with both, they must name the same link. Its referrals and sales stay, and lose their ' +
    '`affiliateLinkId` in the background.',
  query: z.strictObject({}),
  body: z.strictObject({ id: uuid.optional(), link: linkSlug.optional() }).superRefine(oneLink),
  ids: ['id', 'link'],
  response: z.object({ message: z.string(), deletedLink: z.object({ id: z.uuid(), link: z.string() }) }),
  errors: ['not_found', 'precondition_failed'],
  needs: ['LINK:read', 'LINK:delete', 'AFFILIATE:change', 'TOMBSTONE:create'],
  example: { body: { link: 'amara-summer' } },
});

export const linkOperations = [listLinks, readLink, createLink, updateLink, deleteLink] as const;
