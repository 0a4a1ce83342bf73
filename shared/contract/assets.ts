import * as z from 'zod';
import type { ImageType } from './asset-images.ts';
import { recordFields } from './fields.ts';

export const assetTypes = ['TEXT', 'IMAGE'] as const;

export const maxTitleCharacters = 100;
export const maxTextCharacters = 2000;

export const AssetImage = z.object({
  type: z.enum(['PNG', 'JPEG', 'GIF', 'WEBP'] satisfies ImageType[]),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
});
export type AssetImage = z.infer<typeof AssetImage>;

/** What a program gives its affiliates to use. docs/behavior.md#assets */
export const Asset = z.object({
  ...recordFields,
  type: z.enum(assetTypes),
  title: z.string(),
  text: z.string().nullable(),
  image: AssetImage.extend({ path: z.string() }).nullable(),
});
