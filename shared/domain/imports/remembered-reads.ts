import DataLoader from 'dataloader';

const maxRemembered = 5000;

export interface RememberedReads<Value> {
  (key: string): Promise<Value | undefined>;
  ahead: (keys: Iterable<string | null | undefined>) => Promise<void>;
}

const boundedMap = <Value>(): DataLoader.CacheMap<string, Value> => {
  const known = new Map<string, Value>();
  const set = (key: string, value: Value): void => {
    if (known.size >= maxRemembered) known.clear();
    known.set(key, value);
  };
  return { get: (key) => known.get(key), set, delete: (key) => known.delete(key), clear: () => known.clear() };
};

/**
 * Reads a value once as long as it is remembered, with others that are asked for at the same moment. A failed read is not
 * remembered. `readMany` returns values in the order of their keys; with a `maxBatchSize` it gets so many at most.
 */
export const rememberedReads = <Value>(
  readMany: (keys: readonly string[]) => Promise<readonly (Value | undefined)[]>,
  maxBatchSize = Number.POSITIVE_INFINITY,
): RememberedReads<Value> => {
  const loader = new DataLoader<string, Value | undefined>(readMany, { cacheMap: boundedMap(), maxBatchSize });
  const ahead = async (keys: Iterable<string | null | undefined>): Promise<void> => {
    const wanted = [...new Set(keys)].filter((key): key is string => Boolean(key));
    await Promise.all(wanted.map((key) => loader.load(key)));
  };
  return Object.assign((key: string) => loader.load(key), { ahead });
};

interface Store<Name extends string, Stored> {
  find: (programId: string, name: Name, value: string) => Promise<Stored | undefined>;
  findNames: (programId: string, named: readonly { name: Name; value: string }[]) => Promise<(string | undefined)[]>;
  getMany: (programId: string, ids: Iterable<string>) => Promise<ReadonlyMap<string, Stored>>;
}

export const recordsNamed = async <Name extends string, Stored>(
  store: Pick<Store<Name, Stored>, 'findNames' | 'getMany'>,
  programId: string,
  name: Name,
  values: readonly string[],
): Promise<(Stored | undefined)[]> => {
  const ids = await store.findNames(
    programId,
    values.map((value) => ({ name, value })),
  );
  const byId = await store.getMany(
    programId,
    ids.filter((id) => id !== undefined),
  );
  return ids.map((id) => byId.get(id ?? ''));
};

export const recordsWithIds = async <Stored>(
  store: Pick<Store<never, Stored>, 'getMany'>,
  programId: string,
  ids: readonly string[],
): Promise<(Stored | undefined)[]> => {
  const byId = await store.getMany(programId, ids);
  return ids.map((id) => byId.get(id));
};

export const foundBy = <Name extends string, Body, Found>(
  store: Store<Name, Found>,
  name: Name,
  nameOf: (body: Body) => string,
) => ({
  find: (programId: string, body: Body) => store.find(programId, name, nameOf(body)),
  findAll: (programId: string, bodies: readonly Body[]) => recordsNamed(store, programId, name, bodies.map(nameOf)),
});
