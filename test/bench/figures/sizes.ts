import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { createTotalsWrite } from '../../../shared/domain/affiliates/totals.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { newRecordId } from '../../../shared/platform/table/record-id.ts';
import { type Write, writeTogether } from '../../../shared/platform/table/transaction.ts';
import { samples } from '../../operations/samples.ts';
import { measureRequest } from '../../speed/measure.ts';
import { makeWorld, type OperationId, operationWithId, type World } from '../../speed/world.ts';
import { inTurn } from '../../support/in-turn.ts';
import { makeStoredSale } from '../../support/sales.ts';
import { makeStoredAffiliate, makeStoredCode, makeStoredReferral } from '../../support/stored-records.ts';
import { useDatabase } from './database.ts';

export interface SizeFigures {
  records: number;
  /** All requests together. */
  requests: number;
  readUnits: number;
  writeUnits: number;
  /** Requests whose units differ from those with the fewest records. */
  different: string[];
}

/** A transaction is one commit of the embedded database. */
const writesInOne = 96;
const recordsInOnePart = 2000;

/** An affiliate with its totals, a code of it, a referral and a sale, all of long ago. */
const fourRecords = ({ programId, older: { affiliate, coupon } }: World, number: number): Write[] => {
  const createdAt = new Date(Date.UTC(2025, 0, 1) + number * 1000).toISOString();
  const fields = { createdAt, updatedAt: createdAt };
  const id = newRecordId(new Date(createdAt));
  const owner = { affiliateId: affiliate.id };
  const stored = makeStoredAffiliate({ ...fields, id, email: `stored-${number}@example.com` });
  const code = makeStoredCode({ ...fields, ...owner, id, couponId: coupon.id, code: `STORED-${number}` });
  const referral = makeStoredReferral({ ...fields, ...owner, id, email: `referred-${number}@example.com` });
  return [
    ...affiliates.createWrites(programId, stored),
    createTotalsWrite(programId, id),
    ...promotionalCodes.createWrites(programId, code),
    ...referrals.createWrites(programId, referral),
    ...sales.createWrites(programId, makeStoredSale(affiliate.id, fields)),
  ];
};

const fill = async (world: World, from: number, to: number): Promise<void> => {
  for (let first = from; first < to; first += recordsInOnePart) {
    const count = Math.min(recordsInOnePart, to - first) / 4;
    const writes = Array.from({ length: count }, (_, at) => fourRecords(world, first / 4 + at)).flat();
    const parts = Array.from({ length: Math.ceil(writes.length / writesInOne) }, (_, at) =>
      writes.slice(at * writesInOne, (at + 1) * writesInOne),
    );
    await inTurn(parts, (part) => writeTogether(part), 4);
  }
};

const measureAll = async (world: World): Promise<Map<string, readonly [number, number]>> => {
  const units = new Map<string, readonly [number, number]>();
  for (const operation of Object.keys(samples) as OperationId[]) {
    if (operationWithId(operation).auth === 'none') continue;
    for (const [request, { request: makeRequest }] of Object.entries(samples[operation].measured)) {
      const { readUnits, writeUnits } = await measureRequest(world, operation, makeRequest);
      units.set(`${operation}, ${request}`, [readUnits, writeUnits]);
    }
  }
  return units;
};

/** The units of every request in one program, while the number of its records grows. */
export const measureSizes = async (sizes: readonly number[]): Promise<SizeFigures[]> => {
  await useDatabase();
  const world = await makeWorld();
  const figures: SizeFigures[] = [];
  let first: Map<string, readonly [number, number]> | undefined;
  let stored = 0;
  for (const records of sizes) {
    await fill(world, stored, records);
    stored = records;
    // New ones, because what a request costs may depend on the record itself, such as a coupon's codes.
    const units = await measureAll({ ...world, ...(await world.makeRecords()) });
    first ??= units;
    const before = first;
    const sum = (at: 0 | 1) => [...units.values()].reduce((total, one) => total + one[at], 0);
    const different = [...units].flatMap(([name, value]) =>
      String(value) === String(before.get(name)) ? [] : [`${name}: ${before.get(name)}, ${value}`],
    );
    figures.push({ records, requests: units.size, readUnits: sum(0), writeUnits: sum(1), different });
  }
  return figures;
};
