import type * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import {
  createPromotionalCode as one,
  type createPromotionalCodesInBulk as operation,
} from '../../contract/promotional-codes.ts';
import { validationError } from '../../contract/validation-error.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { logError } from '../../platform/logs/log.ts';
import { type IdempotencyContext, notIdempotent } from '../../platform/table/idempotency-context.ts';
import { reserveRecords } from '../../platform/table/record-bound.ts';
import { affiliates } from '../affiliates/repository.ts';
import { createPromotionalCode, type ReadOwners, readOwnersOnce } from './create-promotional-code.ts';
import { promotionalCodes } from './repository.ts';
import { bareCodeResponse } from './rules.ts';

type Result = ResponseOf<typeof operation>['results'][number];
type Entry = Readonly<Record<string, unknown>>;

const maxConcurrency = 10;

const isOurs = ({ status }: { status: number }): boolean => status >= 500;

const parseEntry = (entry: Entry): z.output<typeof one.body> => {
  const parsed = one.body.safeParse(entry);
  if (!parsed.success) throw validationError(parsed.error, entry, 'field');
  return parsed.data;
};

/** The code that an earlier run of this request created; 404 if it was deleted since. */
const codeMadeBefore = async (programId: string, codeId: string): Promise<Result> => {
  const code = await promotionalCodes.get(programId, codeId);
  if (!code) throw new ApiError('not_found', 'This request made the code, which was deleted since');
  const affiliate = code.affiliateId === null ? undefined : await affiliates.get(programId, code.affiliateId);
  return { status: 200, promotionalCode: bareCodeResponse(code, affiliate) };
};

const createOne = async (
  program: { id: string; currency: string },
  entry: Entry,
  now: Date,
  {
    existingRecordId,
    recordCreated,
    read,
  }: Pick<IdempotencyContext, 'existingRecordId' | 'recordCreated'> & { read: ReadOwners },
): Promise<Result> => {
  try {
    const codeId = await existingRecordId();
    if (codeId) return await codeMadeBefore(program.id, codeId);
    const { code, affiliate } = await createPromotionalCode(program, parseEntry(entry), now, { recordCreated, read });
    return { status: 200, promotionalCode: bareCodeResponse(code, affiliate) };
  } catch (error) {
    // Codes created before stay; our own failure becomes one more result.
    const refusal = error instanceof ApiError ? error : new ApiError('creation_failed', undefined, { cause: error });
    if (isOurs(refusal)) logError('code of a bulk not created', refusal.cause ?? refusal);
    return {
      status: refusal.status,
      error: refusal.message,
      ...(refusal.details && { details: [...refusal.details] }),
    };
  }
};

/** One transaction per code. After our own failure a repeated request creates what is missing. */
export const createPromotionalCodesInBulk = async (
  program: { id: string; currency: string },
  entries: readonly Entry[],
  now: Date,
  { existingRecordId, recordCreated, keepRetryable }: IdempotencyContext = notIdempotent,
): Promise<Result[]> => {
  const results: Result[] = [];
  await reserveRecords(entries.length);
  const read = readOwnersOnce();
  const createAll = (some: [number, Entry][]) =>
    forEachConcurrent(some, maxConcurrency, async ([at, entry]) => {
      results[at] = await createOne(program, entry, now, {
        existingRecordId: () => existingRecordId(at),
        recordCreated: (codeId) => recordCreated(codeId, at),
        read,
      });
    });
  // Of entries with the same code the first wins: repeated ones wait for the others.
  const codes = entries.map(({ code }) => code);
  const repeats = ([at, { code }]: [number, Entry]) => code != null && codes.indexOf(code) < at;
  const all = [...entries.entries()];
  await createAll(all.filter((entry) => !repeats(entry)));
  await createAll(all.filter(repeats));
  if (results.some(isOurs)) keepRetryable();
  return results;
};
