import * as z from 'zod';
import { text } from '../fields.ts';
import { createLink, deleteLink, updateLink } from '../links.ts';
import { webPage } from '../page.ts';
import { cursor, filter, period, shownPeriod, sortedBy, soughtEmail } from './list-query.ts';
import { formWithout, noFields } from './operation-form.ts';

const area = { function: 'web-records', auth: 'session' } as const;
const path = '/programs/{programId}/links';
const filters = {
  search: filter(text(100)),
  affiliateEmail: filter(soughtEmail),
  ...period,
  ...sortedBy('link'),
};
const needsOfList = ['LINK:read', 'LINK:list', 'LINK:list:GSI1', 'AFFILIATE:read', 'TOMBSTONE:read'] as const;

export const showLinks = webPage({
  ...area,
  id: 'showLinks',
  method: 'GET',
  path,
  query: z.object({ ...filters, cursor }),
  needs: [...needsOfList, 'AFFILIATE:list'],
});

const downloadLinks = webPage({
  ...area,
  id: 'downloadLinks',
  method: 'GET',
  path: `${path}.csv`,
  query: z.object({ ...filters, cursor }),
  needs: needsOfList,
});

const newPath = '/programs/{programId}/affiliates/{affiliateId}/links/new';
const pathOfOne = `${path}/{linkId}` as const;

const showNewLink = webPage({ ...area, id: 'showNewLink', method: 'GET', path: newPath, needs: ['AFFILIATE:read'] });

const addLink = webPage({
  ...area,
  id: 'addLink',
  creates: true,
  method: 'POST',
  path: newPath,
  form: formWithout(createLink.body, ['affiliateId', 'affiliateEmail']),
  needs: ['AFFILIATE:read', 'AFFILIATE:change', 'LINK:create', 'LINK:delete'],
});

const showLink = webPage({
  ...area,
  id: 'showLink',
  method: 'GET',
  path: pathOfOne,
  query: z.object(shownPeriod),
  needs: ['LINK:read', 'STATISTIC:list', 'LINK_CODE:list', 'AFFILIATE:read', 'TOMBSTONE:read'],
});

export const qrCodeFormats = ['svg', 'png'] as const;

const downloadQrCode = webPage({
  ...area,
  id: 'downloadQrCode',
  method: 'GET',
  path: `${pathOfOne}/qr-code`,
  /** `site` is a base URL of the program; without it, the code is of the address that counts clicks. */
  query: z.object({ format: z.enum(qrCodeFormats).default('svg'), site: filter(text(5000)) }),
  needs: ['LINK:read'],
});

const showLinkEdit = webPage({
  ...area,
  id: 'showLinkEdit',
  method: 'GET',
  path: `${pathOfOne}/edit`,
  needs: ['LINK:read'],
});

const editLink = webPage({
  ...area,
  id: 'editLink',
  method: 'POST',
  path: `${pathOfOne}/edit`,
  emptyRemoves: true,
  form: formWithout(updateLink.body, ['id', 'link']),
  needs: ['LINK:read', 'LINK:change', 'LINK:create', 'LINK:delete', 'AFFILIATE:read', 'AFFILIATE:change'],
});

const confirmLinkDeletion = webPage({
  ...area,
  id: 'confirmLinkDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['LINK:read'],
});

const removeLink = webPage({
  ...area,
  id: 'removeLink',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: noFields,
  needs: deleteLink.needs,
});

export const linkPages = [
  showLinks,
  downloadLinks,
  showNewLink,
  addLink,
  showLink,
  downloadQrCode,
  showLinkEdit,
  editLink,
  confirmLinkDeletion,
  removeLink,
] as const;
