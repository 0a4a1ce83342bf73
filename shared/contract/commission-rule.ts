import * as z from 'zod';
import { commissionTypes } from './group-rules.ts';

/** What can decide a commission, in order of precedence. docs/behavior.md#which-commission-applies */
export const commissionRuleSources = ['SALE', 'AFFILIATE', 'PRODUCT', 'TIER', 'GROUP', 'PROGRAM'] as const;

export const CommissionRule = z
  .object({
    source: z.enum(commissionRuleSources),
    type: z.enum(commissionTypes),
    rate: z.number().nullable(),
    amount: z.number().nullable(),
    groupId: z.uuid(),
  })
  .meta({ id: 'CommissionRule' });
