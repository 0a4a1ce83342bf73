import DataLoader from 'dataloader';

export type ReadMany<Stored> = (ids: Iterable<string>) => Promise<ReadonlyMap<string, Stored>>;

/** Reads each record once, and what is asked for at the same moment together. Records that are not there are left out. */
export const sharedReads = <Stored>(readMany: ReadMany<Stored>): ReadMany<Stored> => {
  const loader = new DataLoader<string, Stored | undefined>(
    async (ids) => {
      const found = await readMany(ids);
      return ids.map((id) => found.get(id));
    },
    // So that responses of other reads that are here already can add to the same call.
    { batchScheduleFn: setImmediate },
  );
  return async (ids) => {
    const wanted = [...new Set(ids)];
    const records = await Promise.all(wanted.map((id) => loader.load(id)));
    return new Map(
      wanted.flatMap((id, at) => {
        const record = records[at];
        return record === undefined ? [] : [[id, record] as const];
      }),
    );
  };
};
