export type ReadMany<Stored> = (ids: Iterable<string>) => Promise<ReadonlyMap<string, Stored>>;

export const sharedReads = <Stored>(readMany: ReadMany<Stored>): ReadMany<Stored> => {
  const known = new Map<string, Promise<Stored | undefined>>();
  let waiting: string[] = [];
  let reading: Promise<ReadonlyMap<string, Stored>> | undefined;
  const readTogether = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const ids = waiting;
    waiting = [];
    reading = undefined;
    return readMany(ids);
  };
  const readOne = async (id: string): Promise<Stored | undefined> => {
    waiting.push(id);
    reading ??= readTogether();
    return (await reading).get(id);
  };
  return async (ids) => {
    const found = new Map<string, Stored>();
    const read = [...new Set(ids)].map(async (id) => {
      const record = known.get(id) ?? readOne(id);
      known.set(id, record);
      const stored = await record;
      if (stored !== undefined) found.set(id, stored);
    });
    await Promise.all(read);
    return found;
  };
};
