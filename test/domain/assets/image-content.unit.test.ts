import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ImageType, imageTypes, maxImageSide } from '../../../shared/contract/asset-images.ts';
import { imageIn, problemOfImage } from '../../../shared/domain/assets/image-content.ts';
import { imageFiles, jpegOf, svg } from '../../support/image-files.ts';

const types = Object.keys(imageTypes) as ImageType[];

describe.each(types)('%s', (type) => {
  const content = imageFiles[type];

  it('is known by its content, with its size', () => {
    const sides = type === 'WEBP' ? { width: 1, height: 1 } : { width: 3, height: 2 };
    expect(imageIn(content)).toEqual({ type, ...sides, bytes: content.length });
  });

  it('is no image where its header ends too early', () => {
    for (const length of [0, 1, 4, 7]) expect(imageIn(content.subarray(0, length)), String(length)).toBeUndefined();
  });
});

it('what is no image of these types is refused: SVG, other types, text that begins like one', () => {
  const bmp = Buffer.from('BM:\0\0\0\0\0\0\x006\0\0\0(\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0', 'latin1');
  for (const content of [
    svg,
    bmp,
    Buffer.from('<!doctype html><p>PNG'),
    Buffer.from('RIFF    WEBP'),
    Buffer.alloc(64),
  ]) {
    expect(imageIn(content)).toBeUndefined();
    expect(problemOfImage(imageIn(content))).toContain('not a PNG, JPEG, GIF or WebP image');
  }
});

it('changed bytes are an image or none, and never a failure', () => {
  const change = fc.tuple(fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.array(change, { minLength: 1, maxLength: 8 }), (type, changes) => {
      const changed = Buffer.from(imageFiles[type]);
      for (const [at, value] of changes) changed[at % changed.length] = value;
      expect(() => imageIn(changed)).not.toThrow();
    }),
  );
});

it('a photo that a camera has turned has the sides that browsers show', () => {
  for (const orientation of [1, 2, 3, 4]) expect(imageIn(jpegOf(300, 200, orientation))).toMatchObject({ width: 300 });
  for (const orientation of [5, 6, 7, 8])
    expect(imageIn(jpegOf(300, 200, orientation))).toMatchObject({ width: 200, height: 300 });
});

it('an image has at most 5,000 pixels on a side, and at least one', () => {
  expect(problemOfImage(imageIn(jpegOf(maxImageSide, maxImageSide)))).toBeUndefined();
  expect(problemOfImage(imageIn(jpegOf(maxImageSide + 1, 1)))).toContain('5001 × 1 pixels');
  expect(problemOfImage(imageIn(jpegOf(1, maxImageSide + 1)))).toContain('at most 5000 pixels');
  expect(imageIn(jpegOf(0, 10))).toBeUndefined();
});
