import type * as z from 'zod';
import type { affiliatePages } from '../../shared/contract/pages/affiliates.ts';
import type { ControlsOf } from '../../shared/web/forms/form-controls.tsx';
import { type ColumnsOf, type DetailsOf, leftOut } from '../../shared/web/lists/record-fields.ts';

// A field that a record or a form gets must be shown, or left out on purpose.

type Response = z.output<z.ZodObject<{ id: z.ZodString; notes: z.ZodString }>>;

export const details: DetailsOf<Response> = { id: ['ID', '1'], notes: leftOut('It is a test') };
export const columns: ColumnsOf<Response, { id: string }> = { id: ({ id }) => id, notes: leftOut('It is a test') };

// @ts-expect-error: the field notes has no place on the page.
export const withoutDetail: DetailsOf<Response> = { id: ['ID', '1'] };
// @ts-expect-error: the field notes has no column.
export const withoutColumn: ColumnsOf<Response, { id: string }> = { id: ({ id }) => id };
// @ts-expect-error: the form has other fields than a first name.
export const withoutControl: ControlsOf<typeof affiliatePages, 'editAffiliate'> = { firstName: 'A control' };
