import { ApiError } from '../../contract/errors.ts';
import type { qrCodeFormats } from '../../contract/pages/links.ts';

/** A phone reads it though a seventh of it is hidden. The margin is what the standard asks for. */
const options = { errorCorrectionLevel: 'M', margin: 4 } as const;
/** Of a module: enough to print a code as wide as a hand. */
const pixels = 16;

/**
 * A QR code that opens an address.
 *
 * @returns the bytes of the image: an SVG, or a PNG with 16 pixels for each module
 * @throws a 400 where the address is longer than a QR code holds
 */
export const qrCode = async (address: string, format: (typeof qrCodeFormats)[number]): Promise<Buffer> => {
  // Few pages need it, so it is loaded for them only.
  const { default: qrcode } = await import('qrcode');
  try {
    if (format === 'svg') return Buffer.from(await qrcode.toString(address, { ...options, type: 'svg' }));
    return await qrcode.toBuffer(address, { ...options, type: 'png', scale: pixels });
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.includes('too big'))) throw cause;
    throw new ApiError(
      'bad_request',
      'This address is too long for a QR code. Enter a shorter base URL in the settings.',
    );
  }
};
