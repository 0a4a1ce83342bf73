import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';

/** An image in one color that a browser can show. */
export const pngOf = (width: number, height: number): Buffer<ArrayBuffer> => {
  const image = new PNG({ width, height });
  for (let at = 0; at < image.data.length; at += 4) image.data.set([79, 70, 229, 255], at);
  return Buffer.from(PNG.sync.write(image));
};

/** What S3 says of a file that was put as a whole. */
export const etagOf = (content: Uint8Array): string => `"${createHash('md5').update(content).digest('hex')}"`;

/** What tests upload, unless they say otherwise. */
export const usualImage = pngOf(300, 250);

/** Smallest files of each type, whose headers are whole. */
const gif = Buffer.from('R0lGODlhAwACAIAAAAAAAP///yH5BAEAAAAALAAAAAADAAIAAAIDhG8FADs=', 'base64');
const webp = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');

const segment = (marker: number, content: readonly number[]): number[] => [
  0xff,
  marker,
  (content.length + 2) >> 8,
  (content.length + 2) & 0xff,
  ...content,
];

/** What a camera says of how it was held: one entry of EXIF, the orientation. */
const exif = (orientation: number): number[] => [
  ...Buffer.from('Exif\0\0MM\0*', 'latin1'),
  ...[0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0],
];

export const jpegOf = (width: number, height: number, orientation = 1): Buffer<ArrayBuffer> =>
  Buffer.from([
    ...[0xff, 0xd8],
    ...segment(0xe1, exif(orientation)),
    ...segment(0xc0, [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0]),
    ...[0xff, 0xd9],
  ]);

export const imageFiles = { PNG: pngOf(3, 2), JPEG: jpegOf(3, 2), GIF: gif, WEBP: webp } as const;

export const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"><script>alert(1)</script></svg>',
);
