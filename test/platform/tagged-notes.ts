import * as z from 'zod';
import { storedFields } from '../../shared/platform/table/keys.ts';
import { recordStore } from '../../shared/platform/table/record-store.ts';
import { makeNote } from '../support/notes.ts';

export const note = makeNote(0, { version: 3, name: 'first' });
export const key = { pk: 'PROGRAM#p#COUPON', sk: note.id };
export const keyOfName = (name: string) => ({ pk: 'PROGRAM#p#COUPON#EXTERNAL_ID', sk: name });

export const Tagged = z.object({
  ...storedFields,
  name: z.string().optional(),
  code: z.string().optional(),
  tags: z.record(z.string(), z.string()),
});
export type Tagged = z.infer<typeof Tagged>;
/** Records that say who changed them, with a map of at most two entries, and several values of one name. */
export const tagged = recordStore({
  table: 'records',
  kind: 'SALE',
  schema: Tagged,
  keepsActor: true,
  maps: { tags: 2 },
  uniques: {
    WORD: ({ name = '' }) => name.split(' ').map((value) => ({ value, refusal: () => new Error(`${value} is taken`) })),
    EXTERNAL_ID: ({ code, name = null }) =>
      code === undefined ? undefined : { value: code, refusal: () => new Error('taken'), copies: { name } },
  },
});
/** Of the table of what expires. */
export const events = recordStore({ table: 'traffic', kind: 'EVENT', schema: z.looseObject(storedFields) });
export const refusals = (writes: readonly { refusal: (item: undefined) => Error }[]) =>
  writes.map(({ refusal }) => refusal(undefined).name);
