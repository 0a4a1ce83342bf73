import { timingSafeEqual } from 'node:crypto';
import { versionIfThere } from '../../platform/secrets/secret-value.ts';
import { headBytes, idBytes, shape, signatureBytes, signatureOf, signedBytes, timeBytes } from './click-id-form.ts';

/** The content of a click id. docs/behavior.md#click-ids */
export interface Click {
  readonly programId: string;
  readonly linkId: string;
  readonly clickedAt: string;
  readonly referringHost: string | null;
}

const idOf = (bytes: Buffer): string => {
  const digits = bytes.toString('hex');
  return [8, 12, 16, 20].reduceRight((text, at) => `${text.slice(0, at)}-${text.slice(at)}`, digits);
};

export const readClickId = async (clickId: string): Promise<Click | undefined> => {
  if (!shape.test(clickId)) return undefined;
  const bytes = Buffer.from(clickId, 'base64url');
  // The last character has unused bits: only one spelling of an id is valid.
  if (bytes.toString('base64url') !== clickId) return undefined;
  const signed = bytes.subarray(0, -signatureBytes);
  const part = (at: number): string => idOf(signed.subarray(headBytes + at * idBytes, headBytes + (at + 1) * idBytes));
  const version = await versionIfThere('click-ids', part(0));
  if (!version || !timingSafeEqual(signatureOf(signed, version.value), bytes.subarray(-signatureBytes)))
    return undefined;
  const seconds = signed.readUIntBE(headBytes + 3 * idBytes, timeBytes);
  const referringHost = signed.subarray(signedBytes).toString('latin1') || null;
  return { programId: part(1), linkId: part(2), clickedAt: new Date(seconds * 1000).toISOString(), referringHost };
};
