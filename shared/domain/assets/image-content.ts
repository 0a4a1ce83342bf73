import { GIF } from 'image-size/types/gif';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { WEBP } from 'image-size/types/webp';
import { type ImageType, maxImageSide } from '../../contract/asset-images.ts';
import type { AssetImage } from '../../contract/assets.ts';

const readers = { PNG, JPEG: JPG, GIF, WEBP } satisfies Record<ImageType, object>;

/** Cameras turn a photo by these values of EXIF, and so do browsers. */
const isTurned = (orientation: number | undefined): boolean => orientation !== undefined && orientation >= 5;

const read = (type: ImageType, content: Uint8Array): AssetImage | undefined => {
  const reader = readers[type];
  // The readers throw where a file ends too early.
  try {
    if (!reader.validate(content)) return undefined;
    const { width, height, orientation } = reader.calculate(content);
    const sides = isTurned(orientation) ? { width: height, height: width } : { width, height };
    return { type, ...sides, bytes: content.length };
  } catch {
    return undefined;
  }
};

/** The image that these bytes are, whatever their name says; undefined where they are none of a type that is taken. */
export const imageIn = (content: Uint8Array): AssetImage | undefined => {
  // A part of a larger buffer would be read beyond its end.
  const own = new Uint8Array(content);
  for (const type of Object.keys(readers) as ImageType[]) {
    const found = read(type, own);
    if (found && found.width > 0 && found.height > 0) return found;
  }
  return undefined;
};

/** Why an image is refused; undefined where it is taken. */
export const problemOfImage = (image: AssetImage | undefined): string | undefined => {
  if (!image) return 'The file is not a PNG, JPEG, GIF or WebP image. Choose another one.';
  const { width, height } = image;
  return Math.max(width, height) > maxImageSide
    ? `The image has ${width} × ${height} pixels. Choose one of at most ${maxImageSide} pixels on each side.`
    : undefined;
};
