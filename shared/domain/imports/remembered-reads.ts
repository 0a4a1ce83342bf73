const maxRemembered = 5000;

export interface RememberedReads<Value> {
  (key: string): Promise<Value | undefined>;
  ahead: (keys: Iterable<string | null | undefined>) => Promise<void>;
}

/** Reads a value once as long as it is remembered. A failed read is not. `readMany` returns values in the order of their keys. */
export const rememberedReads = <Value>(
  readMany: (keys: readonly string[]) => Promise<readonly (Value | undefined)[]>,
): RememberedReads<Value> => {
  const known = new Map<string, Promise<Value | undefined>>();
  const read = (keys: readonly string[]): void => {
    if (known.size + keys.length > maxRemembered) known.clear();
    const reading = readMany(keys);
    for (const [at, key] of keys.entries()) {
      const value = reading.then((values) => values[at]);
      known.set(key, value);
      value.catch(() => known.delete(key));
    }
  };
  const one = async (key: string): Promise<Value | undefined> => {
    if (!known.has(key)) read([key]);
    return known.get(key);
  };
  const ahead = async (keys: Iterable<string | null | undefined>): Promise<void> => {
    const wanted = [...new Set(keys)].filter((key): key is string => Boolean(key));
    const unknown = wanted.filter((key) => !known.has(key));
    if (unknown.length > 0) read(unknown);
    await Promise.all(unknown.map(one));
  };
  return Object.assign(one, { ahead });
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
