import * as z from 'zod';
import { decrypt } from '../../platform/secrets/encryption.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { withQuietWrites } from '../../platform/table/quiet-writes.ts';
import { writeTogether } from '../../platform/table/transaction.ts';
import { historySteps } from './erase-histories.ts';
import { recordSteps } from './erase-records.ts';
import type { Erasing, ErasureStep } from './erasing.ts';
import { erasures, type StoredErasure } from './erasure-record.ts';
import { ErasureGone, encryptionContext, forgetFound, readFound } from './found.ts';
import type { Person } from './person.ts';

export const ErasureMessage = z.strictObject({ programId: z.string(), erasureId: z.string() });
type Message = z.output<typeof ErasureMessage>;

/** Longer than any request in flight: 30 seconds, and a margin. */
const sweepAfterSeconds = 40;

const workMilliseconds = 15_000;

interface Tools {
  send: (message: Message, delaySeconds?: number) => Promise<void>;
  now: () => Date;
  eventSteps: readonly ErasureStep[];
}

const readPerson = async (programId: string, { id, encryptedEmail }: StoredErasure): Promise<Person | undefined> => {
  if (encryptedEmail === null) return undefined;
  const [email, found] = await Promise.all([
    decrypt('click-ids', encryptedEmail, encryptionContext(programId, id)),
    readFound(programId, id),
  ]);
  if (email === undefined) throw new Error(`The email of erasure ${id} cannot be decrypted`);
  const of = (kind: 'ids' | 'customerIds') => new Set(found.flatMap((one) => (one.kind === kind ? [one.id] : [])));
  return { erasureId: id, email, ids: of('ids'), customerIds: of('customerIds') };
};

const at = (moment: Date, seconds = 0): string => new Date(moment.getTime() + seconds * 1000).toISOString();

const nextPass = (pass: StoredErasure['pass'], now: Date): Partial<StoredErasure> => {
  const begin = { step: 0, after: null };
  switch (pass) {
    case 'FIND':
      return { ...begin, pass: 'ERASE' };
    case 'ERASE':
      return { ...begin, pass: 'SWEEP', status: 'DONE', endedAt: at(now), sweepAt: at(now, sweepAfterSeconds) };
    case 'SWEEP':
      return { ...begin, pass: 'FORGET' };
    case 'FORGET':
      return { ...begin, encryptedEmail: null };
  }
};

const forget: ErasureStep = async ({ programId, person }) =>
  (await forgetFound(programId, person.erasureId)) ? 'more' : undefined;

const workOn = async (
  programId: string,
  erasure: StoredErasure,
  person: Person,
  { now, eventSteps }: Tools,
): Promise<StoredErasure> => {
  const { pass, step, after, endedAt } = erasure;
  const steps = pass === 'FORGET' ? [forget] : [...recordSteps, ...eventSteps, ...historySteps];
  const erasing: Erasing = { programId, person, writtenBefore: endedAt ?? undefined, now: now() };
  const next = await steps[step]?.(erasing, after ?? undefined);
  const place =
    next !== undefined
      ? { after: next }
      : step + 1 < steps.length
        ? { step: step + 1, after: null }
        : nextPass(pass, now());
  const moved: StoredErasure = { ...erasure, ...place, updatedAt: at(now()) };
  await writeTogether(erasures.updateWrites(programId, erasure, moved));
  return { ...moved, version: erasure.version + 1 };
};

const waitOf = ({ pass, sweepAt }: StoredErasure, now: Date): number =>
  pass === 'SWEEP' && sweepAt !== null ? Math.ceil((Date.parse(sweepAt) - now.getTime()) / 1000) : 0;

/**
 * Erases a person page by page, from where the erasure is; then asks for the rest. May run twice, and from any point: the second of two
 * runs stops where the first has moved on. docs/behavior.md#erasing-a-person
 */
export const erasePerson = async (message: Message, tools: Tools): Promise<void> => {
  const { programId, erasureId } = message;
  const { send, now } = tools;
  const end = now().getTime() + workMilliseconds;
  let erasure = await erasures.get(programId, erasureId);
  const person = erasure && (await readPerson(programId, erasure));
  while (erasure && person && erasure.encryptedEmail !== null) {
    const wait = waitOf(erasure, now());
    if (wait > 0) return send(message, wait);
    if (now().getTime() >= end) return send(message);
    const current: StoredErasure = erasure;
    try {
      erasure = await withQuietWrites(erasureId, () => workOn(programId, current, person, tools));
    } catch (error) {
      if (!(error instanceof ConcurrentModificationError || error instanceof ErasureGone)) throw error;
      // Another message has moved it on.
      return;
    }
  }
};
