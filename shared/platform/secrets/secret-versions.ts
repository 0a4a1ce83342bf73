import type { SecretName } from '../../contract/needs.ts';

export interface SecretVersion {
  id: string;
  value: string;
  createdAt: number;
}

export interface WhichVersion {
  VersionId?: string;
  VersionStage?: 'AWSPREVIOUS';
}

/** How soon a running function notices a rotation. */
const currentMilliseconds = 5 * 60 * 1000;

/** Cookies wait until every running function knows the new version. */
const settledMilliseconds = 2 * currentMilliseconds;

/** Reads again after five minutes in the background: only the first caller waits, and a failed read changes nothing. */
class Refreshed<Value> {
  private known: { value: Value; readAt: number } | undefined;
  private reading: Promise<Value> | undefined;
  private readonly read: () => Promise<Value>;

  constructor(read: () => Promise<Value>) {
    this.read = read;
  }

  async readNow(): Promise<Value> {
    const readAt = Date.now();
    const value = await this.read();
    this.known = { value, readAt };
    return value;
  }

  async get(): Promise<Value> {
    if (!this.known) return this.readOnce();
    if (Date.now() - this.known.readAt > currentMilliseconds) this.readOnce().catch(() => {});
    return this.known.value;
  }

  private readOnce(): Promise<Value> {
    this.reading ??= this.readNow().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }
}

const refreshedBySecret = <Value>(read: (name: SecretName) => Promise<Value>) => {
  const bySecret = new Map<SecretName, Refreshed<Value>>();
  return (name: SecretName): Refreshed<Value> => {
    const refreshed = bySecret.get(name) ?? new Refreshed(() => read(name));
    bySecret.set(name, refreshed);
    return refreshed;
  };
};

const unlessMissing = async <Value>(reading: Promise<Value>): Promise<Value | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

/** What a process knows of its secrets, which it reads as it is told. */
export const secretVersions = (readVersion: (name: SecretName, which: WhichVersion) => Promise<SecretVersion>) => {
  const byId = new Map<string, Promise<SecretVersion>>();
  const keyOf = (name: SecretName, id: string): string => `${name}/${id}`;

  const read = async (name: SecretName, which: WhichVersion = {}): Promise<SecretVersion> => {
    const version = await readVersion(name, which);
    byId.set(keyOf(name, version.id), Promise.resolve(version));
    return version;
  };

  const current = refreshedBySecret((name) => read(name));

  /** One call in five minutes per process. */
  const currentVersion = (name: SecretName): Promise<SecretVersion> => current(name).get();

  const newestVersion = (name: SecretName): Promise<SecretVersion> => current(name).readNow();

  const versionWithId = async (name: SecretName, id: string): Promise<SecretVersion> => {
    const now = await currentVersion(name);
    if (now.id === id) return now;
    const key = keyOf(name, id);
    const asked = byId.get(key) ?? read(name, { VersionId: id });
    byId.set(key, asked);
    asked.catch(() => byId.delete(key));
    return asked;
  };

  /** Undefined for a version that Secrets Manager does not have. A caller's guess costs one call of it. */
  const versionIfThere = (name: SecretName, id: string): Promise<SecretVersion | undefined> =>
    unlessMissing(versionWithId(name, id));

  const readPrevious = (name: SecretName): Promise<SecretVersion | undefined> =>
    unlessMissing(read(name, { VersionStage: 'AWSPREVIOUS' }));

  const recent = refreshedBySecret((name) => Promise.all([newestVersion(name), readPrevious(name)]));

  /** An unknown id causes no call of Secrets Manager. */
  const recentVersionWithId = async (name: SecretName, id: string): Promise<SecretVersion | undefined> =>
    (await recent(name).get()).find((version) => version?.id === id);

  /** The newest version that every running function knows. `now` is in milliseconds. */
  const settledVersion = async (name: SecretName, now: number): Promise<SecretVersion> => {
    const [newest, previous] = await recent(name).get();
    return previous && now - newest.createdAt < settledMilliseconds ? previous : newest;
  };

  return { currentVersion, newestVersion, versionWithId, versionIfThere, recentVersionWithId, settledVersion };
};
