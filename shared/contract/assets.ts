import * as z from 'zod';
import { recordFields } from './fields.ts';
import type { PublicAddress } from './tracking.ts';

export const assetTypes = ['TEXT', 'IMAGE'] as const;

export const maxTitleCharacters = 100;
export const maxTextCharacters = 2000;

/** The types of images, with the ending of their address and their content type. Never SVG, which may have scripts. */
export const imageTypes = {
  PNG: { extension: 'png', contentType: 'image/png' },
  JPEG: { extension: 'jpg', contentType: 'image/jpeg' },
  GIF: { extension: 'gif', contentType: 'image/gif' },
  WEBP: { extension: 'webp', contentType: 'image/webp' },
} as const;
export const ImageType = z.enum(['PNG', 'JPEG', 'GIF', 'WEBP'] satisfies (keyof typeof imageTypes)[]);
export type ImageType = z.infer<typeof ImageType>;

export const maxImageBytes = 2 * 1024 * 1024;
/** Of each side, in pixels: browsers of visitors must hold the whole image. */
export const maxImageSide = 5000;

export const AssetImage = z.object({
  type: ImageType,
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

const readAssetImage = {
  id: 'readAssetImage',
  path: '/images/{programId}/{file}',
  function: 'asset-image',
  needs: ['asset-images:read'],
} as const satisfies PublicAddress;

export const assetAddresses = [readAssetImage] as const;

/** Where everybody finds an image, below the application's address. The random part of its id keeps it from being guessed. */
export const imagePath = (programId: string, id: string, { type }: Pick<AssetImage, 'type'>): string =>
  readAssetImage.path.replace('{programId}', programId).replace('{file}', `${id}.${imageTypes[type].extension}`);
