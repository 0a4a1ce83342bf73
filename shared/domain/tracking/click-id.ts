import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { settledVersion, versionIfThere } from '../../platform/secrets/secret-value.ts';
import type { StoredProgram } from '../programs/repository.ts';
import { maxHostCharacters } from '../statistics/host-names.ts';

/** What a signed click says: who was clicked when, on which site. docs/behavior.md#click-ids */
export interface Click {
  readonly programId: string;
  readonly linkId: string;
  readonly clickedAt: string;
  readonly referringHost: string | null;
}

/** The first byte, which the script reads too: whether a browser keeps its first click or its last one. */
const forms = { LAST_CLICK: 1, FIRST_CLICK: 2 } as const;
const daysBytes = 2;
const idBytes = 16;
const timeBytes = 6;
const randomPart = 8;
const signatureBytes = 16;
const headBytes = 1 + daysBytes;
const signedBytes = headBytes + 3 * idBytes + timeBytes + randomPart;
const charactersOf = (bytes: number): number => Math.ceil((bytes * 4) / 3);
const shortest = charactersOf(signedBytes + signatureBytes);
/** The host comes last, as long as it is: an id without one is what earlier versions have signed. */
const longest = charactersOf(signedBytes + maxHostCharacters + signatureBytes);
const shape = new RegExp(`^[A-Za-z0-9_-]{${shortest},${longest}}$`);

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const idOf = (bytes: Buffer): string => {
  const digits = bytes.toString('hex');
  return [8, 12, 16, 20].reduceRight((text, at) => `${text.slice(0, at)}-${text.slice(at)}`, digits);
};

const signatureOf = (signed: Buffer, key: string): Buffer =>
  createHmac('sha256', key).update('click').update(signed).digest().subarray(0, signatureBytes);

type Tracked = Pick<StoredProgram, 'id' | 'attribution' | 'attributionDays'>;

/** Nothing is stored: the signature alone makes it valid. Names the version of the secret, so that it outlives a rotation. */
export const createClickId = async (
  program: Tracked,
  linkId: string,
  now: Date,
  referringHost: string | null = null,
): Promise<string> => {
  const { id: version, value } = await settledVersion('click-ids', now.getTime());
  const days = Buffer.alloc(daysBytes);
  days.writeUInt16BE(program.attributionDays);
  const time = Buffer.alloc(timeBytes);
  time.writeUIntBE(Math.floor(now.getTime() / 1000), 0, timeBytes);
  const signed = Buffer.concat([
    Buffer.of(forms[program.attribution]),
    days,
    bytesOf(version),
    bytesOf(program.id),
    bytesOf(linkId),
    time,
    randomBytes(randomPart),
    Buffer.from(referringHost ?? '', 'latin1'),
  ]);
  return Buffer.concat([signed, signatureOf(signed, value)]).toString('base64url');
};

export const readClickId = async (clickId: string): Promise<Click | undefined> => {
  if (!shape.test(clickId)) return undefined;
  const bytes = Buffer.from(clickId, 'base64url');
  // The last character has bits to spare: another one must not say the same.
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
