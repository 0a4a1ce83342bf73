import { randomBytes } from 'node:crypto';
import { settledVersion } from '../../platform/secrets/quick-secret.ts';
import { daysBytes, forms, randomPart, signatureOf, timeBytes } from './click-id-form.ts';
import type { TrackedProgram } from './find-target.ts';

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

type Tracked = Pick<TrackedProgram, 'id' | 'attribution' | 'attributionDays'>;

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
