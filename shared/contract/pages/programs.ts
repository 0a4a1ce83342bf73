import * as z from 'zod';
import { commissionRate, currency, text } from '../fields.ts';
import { webPage } from '../page.ts';
import { cursor, filter, shownPeriod } from './list-query.ts';

const area = { function: 'web-programs', auth: 'session' } as const;

export const enteredRate = z.coerce.number('must be a number').pipe(commissionRate);

export const showPrograms = webPage({
  ...area,
  id: 'showPrograms',
  method: 'GET',
  path: '/programs',
  query: z.object({ cursor }),
  needs: ['accounts:read', 'accounts:list', 'PROGRAM:read', 'MEMBER:read'],
});

const showNewProgram = webPage({
  ...area,
  id: 'showNewProgram',
  method: 'GET',
  path: '/programs/new',
  needs: [],
});

const addProgram = webPage({
  ...area,
  id: 'addProgram',
  method: 'POST',
  path: '/programs/new',
  form: z.strictObject({
    name: text(200),
    currency,
    commissionRate: enteredRate,
  }),
  needs: [
    'accounts:read',
    'accounts:create',
    'accounts:change',
    'accounts:list',
    'handles:create',
    'PROGRAM:create',
    'API_KEY:create',
    'access:manage',
    'key-copies:use',
  ],
});

const showProgram = webPage({
  ...area,
  id: 'showProgram',
  method: 'GET',
  path: '/programs/{programId}',
  /** `from` and `to`, if given, win over the others. */
  query: z.object({ ...shownPeriod, from: filter(text(20)), to: filter(text(20)) }),
  needs: [
    'SALE:read',
    'SALE:list',
    'STATISTIC:list',
    'LINK:read',
    'SALE:list:GSI6',
    'GROUP:list',
    'AFFILIATE:list',
    'AFFILIATE:list:GSI1',
    'AFFILIATE:list:GSI3',
    'AFFILIATE:read',
    'PAYOUT_BATCH:list:GSI1',
    'WEBHOOK:list',
    'COUPON:list',
    'API_KEY:list',
    'MEMBER:list',
  ],
});

export const programPages = [showPrograms, showNewProgram, addProgram, showProgram] as const;
