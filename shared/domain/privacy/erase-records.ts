import { isDeepStrictEqual } from 'node:util';
import { deployedName } from '../../platform/table/deployed-name.ts';
import { retryOnConflict } from '../../platform/table/edit.ts';
import { deleteItem } from '../../platform/table/items.ts';
import { ConcurrentModificationError, type StoredRecord } from '../../platform/table/keys.ts';
import { partition } from '../../platform/table/partition.ts';
import { quietAttribute, quietMark } from '../../platform/table/quiet-writes.ts';
import { type Write, writeTogether } from '../../platform/table/transaction.ts';
import { UpdateParts } from '../../platform/table/update-parts.ts';
import { moveCustomer } from '../attribution/customers.ts';
import { type Erasing, type ErasureStep, isWrittenBefore, scanStep } from './erasing.ts';
import { countWrite, foundWrites } from './found.ts';
import { erasedEmail } from './person.ts';
import {
  erasedRecord,
  foundIn,
  ofAffiliate,
  ofCode,
  ofLink,
  ofReferral,
  ofSale,
  type Personal,
  remember,
} from './personal-kinds.ts';

/** In one transaction with what it has found, because afterwards the record shows it no more. */
const eraseRecord = <Stored extends StoredRecord>(
  personal: Personal<Stored>,
  erasing: Erasing,
  id: string,
): Promise<void> => {
  const { programId, person, now } = erasing;
  const { store, kind, also, writtenElsewhere = [] } = personal;
  return retryOnConflict(async () => {
    const record = await store.get(programId, id);
    if (!record || !isWrittenBefore(erasing, record)) return;
    const erased = erasedRecord(personal, record, person);
    if (!erased) return;
    const elsewhere = Object.fromEntries(writtenElsewhere.map((name) => [name, record[name]]));
    const after = { ...erased, ...elsewhere, updatedAt: now.toISOString() };
    const found = foundIn(personal, record, person);
    await writeTogether([
      ...store.updateWrites(programId, record, after),
      ...((await also?.(programId, after, now)) ?? []),
      ...(await foundWrites(programId, person.erasureId, found)),
      countWrite(programId, person.erasureId, kind),
    ]);
    remember(person, found);
  });
};

const liveStep = <Stored extends StoredRecord>(personal: Personal<Stored>): ErasureStep =>
  scanStep(
    'records',
    (programId) => partition(programId, personal.kind),
    async (erasing, item) => {
      const record = personal.store.schema.parse(item);
      if (erasedRecord(personal, record, erasing.person)) await eraseRecord(personal, erasing, record.id);
    },
  );

/** Its version rises, so that a repeated message finds it changed. */
const tombstoneWrite = (item: Record<string, unknown>, before: object, after: object): Write => {
  const parts = new UpdateParts(Number(item.version));
  for (const [name, value] of Object.entries(after))
    if (!isDeepStrictEqual(value, new Map(Object.entries(before)).get(name))) parts.set(name, value);
  parts.set('version', Number(item.version) + 1);
  parts.set(quietAttribute, quietMark());
  return {
    Update: { TableName: deployedName('records'), Key: { pk: item.pk, sk: item.sk }, ...parts.expressions },
    refusal: () => new ConcurrentModificationError('The tombstone expired, or was erased meanwhile'),
  };
};

const tombstoneStep = <Stored extends StoredRecord>(personal: Personal<Stored>): ErasureStep =>
  scanStep(
    'records',
    (programId) => partition(programId, 'TOMBSTONE', personal.kind),
    async (erasing, item) => {
      const { programId, person } = erasing;
      const { data: record } = personal.store.schema.safeParse(item);
      const erased = record && erasedRecord(personal, record, person);
      if (!erased || !isWrittenBefore(erasing, record)) return;
      const found = foundIn(personal, record, person);
      try {
        await writeTogether([
          tombstoneWrite(item, record, erased),
          ...(await foundWrites(programId, person.erasureId, found)),
          countWrite(programId, person.erasureId, 'TOMBSTONE'),
        ]);
      } catch (error) {
        // Another message has erased it, or it is no more.
        if (!(error instanceof ConcurrentModificationError)) throw error;
      }
      remember(person, found);
    },
  );

const formerNames: ErasureStep = scanStep(
  'records',
  (programId) => partition(programId, 'AFFILIATE', 'NAME'),
  async ({ programId, person }, item) => {
    if (!person.ids.has(String(item.id))) return;
    await deleteItem('records', { pk: partition(programId, 'AFFILIATE', 'NAME'), sk: String(item.sk) });
  },
);

/** The orders are counted for nobody, so that they are no orders of whoever has the email next. docs/behavior.md#first-orders */
const customers: ErasureStep = async ({ programId, person, writtenBefore }) => {
  const names = [person.email, ...[...person.customerIds].map((of) => `ID ${of}`)];
  for (const name of names) await moveCustomer(programId, name, erasedEmail(person.erasureId), writtenBefore);
  return undefined;
};

/** Affiliates and referrals first, because their ids lead to links, codes and sales. */
export const recordSteps: readonly ErasureStep[] = [
  liveStep(ofAffiliate),
  tombstoneStep(ofAffiliate),
  liveStep(ofReferral),
  tombstoneStep(ofReferral),
  liveStep(ofSale),
  tombstoneStep(ofSale),
  liveStep(ofLink),
  tombstoneStep(ofLink),
  liveStep(ofCode),
  tombstoneStep(ofCode),
  customers,
  formerNames,
];
