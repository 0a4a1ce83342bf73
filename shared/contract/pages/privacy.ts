import * as z from 'zod';
import { email } from '../fields.ts';
import { webPage } from '../page.ts';

const area = { function: 'web-programs', auth: 'session', role: 'OWNER' } as const;
const path = '/programs/{programId}/settings/privacy';

const needsToFind = [
  'AFFILIATE:list',
  'REFERRAL:list',
  'SALE:list',
  'LINK:list',
  'PROMOTIONAL_CODE:list',
  'TOMBSTONE:list',
  'EVENT:list',
] as const;

const showPrivacy = webPage({ ...area, id: 'showPrivacy', method: 'GET', path, needs: ['ERASURE:list'] });

const findPerson = webPage({
  ...area,
  id: 'findPerson',
  method: 'POST',
  path: `${path}/find`,
  form: z.strictObject({ email }),
  needs: ['ERASURE:list', ...needsToFind],
});

/** A form, so that no email is part of an address. */
const downloadPerson = webPage({
  ...area,
  id: 'downloadPerson',
  method: 'POST',
  path: `${path}/download`,
  form: z.strictObject({ email }),
  needs: ['ERASURE:list', ...needsToFind],
});

const erasePerson = webPage({
  ...area,
  id: 'erasePerson',
  creates: true,
  method: 'POST',
  path: `${path}/erase`,
  form: z.strictObject({ email, confirmation: email }),
  needs: ['ERASURE:read', 'ERASURE:create', 'click-ids:use', ...needsToFind],
});

const showErasure = webPage({
  ...area,
  id: 'showErasure',
  method: 'GET',
  path: `${path}/erasures/{erasureId}`,
  needs: ['ERASURE:read'],
});

export const privacyPages = [showPrivacy, findPerson, downloadPerson, erasePerson, showErasure] as const;
