import * as z from 'zod';
import { applicationBounds, termsText } from '../applications.ts';
import { baseUrlLines, currency, handle, text, timeZone } from '../fields.ts';
import { webPage } from '../page.ts';
import { attributionDays, attributions } from '../program.ts';
import { burstSales, refundPercent, reviewModes } from '../review.ts';
import { listOfLines } from './fields.ts';
import { logoUrl, originLines } from './portal-settings-fields.ts';
import { enteredRate } from './programs.ts';

const area = {
  function: 'web-programs',
  auth: 'session',
  role: 'OWNER',
} as const;
const path = '/programs/{programId}/settings';
const reviewMode = z.enum(reviewModes).optional();

const showProgramSettings = webPage({
  ...area,
  id: 'showProgramSettings',
  method: 'GET',
  path,
  needs: [],
});

export const changeProgram = webPage({
  ...area,
  id: 'changeProgram',
  method: 'POST',
  path,
  form: z.strictObject({
    name: text(200),
    currency,
    commissionRate: enteredRate,
    baseUrls: baseUrlLines,
    timeZone: timeZone.optional(),
    handle: handle.optional(),
    attribution: z.enum(attributions).optional(),
    attributionDays: z.coerce.number('must be a number').pipe(attributionDays).optional(),
    showsCodes: z.literal('on').optional(),
    /** What forms of earlier versions send in place of `selfReferral`. */
    allowSelfReferral: z.literal('on').optional(),
    selfReferral: reviewMode,
    sameDomain: reviewMode,
    burst: reviewMode,
    burstSales: z.coerce.number('must be a number').pipe(burstSales).optional(),
    refundRate: reviewMode,
    refundPercent: z.coerce.number('must be a number').pipe(refundPercent).optional(),
    accentColor: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #4f46e5')
      .toLowerCase()
      .optional(),
  }),
  needs: [
    'PROGRAM:change',
    'API_KEY:list',
    'SALE:list',
    'access:change',
    'handles:create',
    'handles:read',
    'handles:delete',
  ],
});

const portalPath = `${path}/portal` as const;

const showPortalSettings = webPage({ ...area, id: 'showPortalSettings', method: 'GET', path: portalPath, needs: [] });

const changePortalSettings = webPage({
  ...area,
  id: 'changePortalSettings',
  method: 'POST',
  path: portalPath,
  form: z.strictObject({ portalIsOn: z.boolean(), logoUrl: logoUrl.optional(), embeddingOrigins: originLines }),
  needs: ['PROGRAM:change'],
});

/** Without script, questions are rows of fields. Their names are not in the type: `rowsOf` reads them. */
const questionRows: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Array.from({ length: applicationBounds.questions }, (_, at) => [
    [`questions.${at}.question`, text(applicationBounds.questionCharacters).nullish()] as const,
    [`questions.${at}.choices`, listOfLines.nullish()] as const,
    [`questions.${at}.isRequired`, z.boolean()] as const,
  ]).flat(),
);

const applicationPath = `${portalPath}/application` as const;

const showApplicationSettings = webPage({
  ...area,
  id: 'showApplicationSettings',
  method: 'GET',
  path: applicationPath,
  needs: [],
});

const changeApplicationSettings = webPage({
  ...area,
  id: 'changeApplicationSettings',
  method: 'POST',
  path: applicationPath,
  form: z.strictObject({ isOpen: z.boolean(), terms: termsText.optional(), ...questionRows }),
  needs: ['PROGRAM:change'],
});

const confirmProgramDeletion = webPage({
  ...area,
  id: 'confirmProgramDeletion',
  method: 'GET',
  path: `${path}/delete`,
  needs: [],
});

const removeProgram = webPage({
  ...area,
  id: 'removeProgram',
  method: 'POST',
  path: `${path}/delete`,
  /** The program's name, typed to confirm. */
  form: z.strictObject({ name: text(200) }),
  needs: [
    'PROGRAM:delete',
    'accounts:change',
    'accounts:delete',
    'handles:read',
    'handles:delete',
    'API_KEY:list',
    'access:manage',
  ],
});

export const programSettingsPages = [
  showProgramSettings,
  changeProgram,
  showPortalSettings,
  changePortalSettings,
  showApplicationSettings,
  changeApplicationSettings,
  confirmProgramDeletion,
  removeProgram,
] as const;
