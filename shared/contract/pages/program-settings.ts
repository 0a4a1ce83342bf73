import * as z from 'zod';
import { baseUrlLines, currency, text } from '../fields.ts';
import { webPage } from '../page.ts';
import { enteredRate } from './programs.ts';

const area = {
  function: 'web-programs',
  auth: 'session',
  role: 'OWNER',
  path: '/programs/{programId}/settings',
} as const;

const showProgramSettings = webPage({
  ...area,
  id: 'showProgramSettings',
  method: 'GET',
  needs: [],
});

const changeProgram = webPage({
  ...area,
  id: 'changeProgram',
  method: 'POST',
  form: z.strictObject({
    name: text(200),
    currency,
    commissionRate: enteredRate,
    baseUrls: baseUrlLines,
    allowSelfReferral: z.literal('on').optional(),
    accentColor: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #4f46e5')
      .toLowerCase()
      .optional(),
  }),
  needs: ['PROGRAM:change', 'API_KEY:list', 'SALE:list', 'access:manage'],
});

export const programSettingsPages = [showProgramSettings, changeProgram] as const;
