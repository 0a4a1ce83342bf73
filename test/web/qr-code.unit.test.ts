import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { qrCodeFormats } from '../../shared/contract/pages/links.ts';
import { qrCode } from '../../shared/web/records/qr-code.ts';

/** What a camera reads. */
const readPng = (image: Buffer): string | undefined => {
  const { data, width, height } = PNG.sync.read(image);
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
};

/** Draws the dark rows of the SVG, module by module, with ten pixels for each. */
const readSvg = (image: Buffer): string | undefined => {
  const svg = image.toString();
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const [, rows = ''] = /<path stroke="#000000" d="([^"]+)"/.exec(svg) ?? [];
  const pixels = new Uint8ClampedArray(size * size * 400).fill(255);
  let [x, y] = [0, 0];
  for (const [, command, one, other] of rows.matchAll(/([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?/g)) {
    const [across, down] = [Number(one), Number(other ?? 0)];
    if (command === 'M') [x, y] = [across, down];
    else if (command === 'm') [x, y] = [x + across, y + down];
    else {
      for (let row = Math.floor(y) * 10; row < Math.floor(y) * 10 + 10; row++)
        for (let column = x * 10; column < (x + across) * 10; column++) {
          const at = 4 * (row * size * 10 + column);
          pixels.fill(0, at, at + 3);
        }
      x += across;
    }
  }
  return jsqr.default(pixels, size * 10, size * 10)?.data;
};

describe.each(qrCodeFormats)('a QR code as %s', (format) => {
  const read = format === 'svg' ? readSvg : readPng;

  it.each([
    ['a short address', 'https://shop.example/?ref=amara-okafor'],
    ['an address with encoded letters', 'https://shop.example/caf%C3%A9?a=1&b=%3Cb%3E&ref=Zoe-1#top'],
    ['a long address', `https://shop.example/${'x'.repeat(400)}?ref=a`],
  ])('says %s to a camera', async (_, address) => {
    expect(read(await qrCode(address, format))).toBe(address);
  });

  it('is refused where the address is longer than one holds', async () => {
    await expect(qrCode(`https://shop.example/${'x'.repeat(3000)}`, format)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('too long for a QR code'),
    });
  });
});
