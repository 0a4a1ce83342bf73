import type { PublicAddress } from './tracking.ts';

/** Images of assets, for the function that serves them too, which loads no schemas. docs/behavior.md#assets */

/** The types of images, with the ending of their address and their content type. Never SVG, which may have scripts. */
export const imageTypes = {
  PNG: { extension: 'png', contentType: 'image/png' },
  JPEG: { extension: 'jpg', contentType: 'image/jpeg' },
  GIF: { extension: 'gif', contentType: 'image/gif' },
  WEBP: { extension: 'webp', contentType: 'image/webp' },
} as const;
export type ImageType = keyof typeof imageTypes;

export const maxImageBytes = 2 * 1024 * 1024;
/** Of each side, in pixels: browsers of visitors must hold the whole image. */
export const maxImageSide = 5000;

const readAssetImage = {
  id: 'readAssetImage',
  path: '/images/{programId}/{file}',
  function: 'asset-image',
  needs: ['asset-images:read'],
} as const satisfies PublicAddress;

export const assetAddresses = [readAssetImage] as const;

/** Where everybody finds an image, below the application's address. The random part of its id keeps it from being guessed. */
export const imagePath = (programId: string, id: string, { type }: { type: ImageType }): string =>
  readAssetImage.path.replace('{programId}', programId).replace('{file}', `${id}.${imageTypes[type].extension}`);
