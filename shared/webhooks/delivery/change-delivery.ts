import { retryOnConflict } from '../../platform/table/edit.ts';
import { ConcurrentModificationError } from '../../platform/table/keys.ts';
import { writeAlone } from '../../platform/table/write-alone.ts';
import type { StoredDelivery } from './delivery-rules.ts';
import { deliveries } from './repository.ts';

/** Reapplies the change if another message recorded an attempt since the read; undefined if nothing changes. */
export const changeDelivery = async (
  programId: string,
  read: StoredDelivery,
  apply: (delivery: StoredDelivery) => StoredDelivery | undefined,
): Promise<StoredDelivery | undefined> => {
  let before: StoredDelivery | undefined = read;
  return retryOnConflict(async () => {
    before ??= await deliveries.get(programId, read.id);
    const after = before && apply(before);
    if (!before || !after || (await writeAlone(deliveries.updateWrites(programId, before, after)))) return after;
    before = undefined;
    throw new ConcurrentModificationError(`Delivery ${read.id} changed`);
  });
};
