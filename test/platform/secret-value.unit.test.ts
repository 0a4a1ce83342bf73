import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { secretVariable } from '../../shared/contract/needs.ts';
import {
  currentVersion,
  newestVersion,
  recentVersionWithId,
  settledVersion,
  versionWithId,
} from '../../shared/platform/secrets/secret-value.ts';
import { fakeSecret } from '../support/fake-secrets.ts';

const minute = 60_000;
const start = Date.parse('2026-03-01T12:00:00.000Z');
const current = {};
const previous = { VersionStage: 'AWSPREVIOUS' };

let secret: ReturnType<typeof fakeSecret>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  secret = fakeSecret();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
/** What was begun in the background has ended. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the current version of a secret', () => {
  it('has its id, its text and the time of its creation, and is read once in five minutes', async () => {
    const id = secret.rotate(new Date(start - minute));
    const version = { id, value: `text of ${id}`, createdAt: start - minute };
    expect(await Promise.all([currentVersion(secret.name), currentVersion(secret.name)])).toEqual([version, version]);
    secret.rotate();
    pass(5 * minute);
    expect(await currentVersion(secret.name)).toEqual(version);
    await settled();
    expect(secret.asked).toEqual([current]);
  });

  it('is read again in the background after five minutes, and used until then', async () => {
    const id = secret.rotate();
    await currentVersion(secret.name);
    const next = secret.rotate();
    pass(5 * minute + 1);
    const versions = await Promise.all([currentVersion(secret.name), currentVersion(secret.name)]);
    expect(versions.map((version) => version.id)).toEqual([id, id]);
    await settled();
    expect((await currentVersion(secret.name)).id).toBe(next);
    expect(secret.asked).toEqual([current, current]);
    pass(5 * minute + 1);
    secret.rotate();
    await currentVersion(secret.name);
    await settled();
    expect(secret.asked).toHaveLength(3);
  });

  it('is used while Secrets Manager fails, also by those who ask at the same moment, and is asked for again', async () => {
    const id = secret.rotate();
    await currentVersion(secret.name);
    const next = secret.rotate();
    pass(5 * minute + 1);
    secret.fail(new Error('down'));
    const versions = await Promise.all([currentVersion(secret.name), currentVersion(secret.name)]);
    expect(versions.map((version) => version.id)).toEqual([id, id]);
    await settled();
    secret.fail();
    expect((await currentVersion(secret.name)).id).toBe(id);
    await settled();
    expect((await currentVersion(secret.name)).id).toBe(next);
    expect(secret.asked).toHaveLength(3);
  });

  it('is asked for again after a first read that failed', async () => {
    const id = secret.rotate();
    secret.fail(new Error('down'));
    await expect(currentVersion(secret.name)).rejects.toThrow('down');
    secret.fail();
    expect((await currentVersion(secret.name)).id).toBe(id);
  });

  it('is read at once by who asks for the newest, and known to all from then on', async () => {
    secret.rotate();
    await currentVersion(secret.name);
    const id = secret.rotate();
    expect((await newestVersion(secret.name)).id).toBe(id);
    expect((await currentVersion(secret.name)).id).toBe(id);
    expect(secret.asked).toHaveLength(2);
  });

  it.each<[string, object]>([
    ['no text', { VersionId: 'one' }],
    ['an empty text', { VersionId: 'one', SecretString: '' }],
    ['no id', { SecretString: 'text' }],
  ])('is refused with %s', async (_, version) => {
    secret.versions.push(version);
    await expect(currentVersion(secret.name)).rejects.toThrow(`The secret ${secret.name} has no text`);
  });

  it('was created long ago if Secrets Manager does not say when', async () => {
    secret.versions.push({ VersionId: 'one', SecretString: 'text' });
    expect(await currentVersion(secret.name)).toEqual({ id: 'one', value: 'text', createdAt: 0 });
  });

  it('is refused to a function that does not need the secret', async () => {
    vi.stubEnv(secretVariable(secret.name), '');
    await expect(currentVersion(secret.name)).rejects.toThrow(`the operation does not need ${secret.name}:use`);
    expect(secret.asked).toEqual([]);
  });
});

describe('a version by its id', () => {
  it('is the current one, or is read once however many ask', async () => {
    const [old, now] = [secret.rotate(), secret.rotate()];
    expect((await versionWithId(secret.name, now)).value).toBe(`text of ${now}`);
    expect(secret.asked).toEqual([current]);
    const asked = [1, 2, 3].map(() => versionWithId(secret.name, old));
    for (const version of await Promise.all(asked)) expect(version.value).toBe(`text of ${old}`);
    await versionWithId(secret.name, old);
    expect(secret.asked).toEqual([current, { VersionId: old }]);
  });

  it('is not read again once it was the current one', async () => {
    const old = secret.rotate();
    await currentVersion(secret.name);
    secret.rotate();
    await newestVersion(secret.name);
    expect((await versionWithId(secret.name, old)).id).toBe(old);
    expect(secret.asked).toEqual([current, current]);
  });

  it('is asked for again after a read that failed', async () => {
    const [old] = [secret.rotate(), secret.rotate()];
    await currentVersion(secret.name);
    secret.fail(new Error('down'));
    await expect(versionWithId(secret.name, old)).rejects.toThrow('down');
    secret.fail();
    expect((await versionWithId(secret.name, old)).id).toBe(old);
  });
});

describe('the recent versions', () => {
  it('are the newest and the one before it; another id causes no call', async () => {
    const [oldest, old, now] = [secret.rotate(), secret.rotate(), secret.rotate()];
    const found = await Promise.all([now, old, oldest, randomUUID()].map((id) => recentVersionWithId(secret.name, id)));
    expect(found.map((version) => version?.id)).toEqual([now, old, undefined, undefined]);
    expect(secret.asked).toHaveLength(2);
    expect(secret.asked).toEqual(expect.arrayContaining([current, previous]));
  });

  it('are one as long as the secret was never rotated', async () => {
    const only = secret.rotate(new Date());
    expect((await recentVersionWithId(secret.name, only))?.id).toBe(only);
    expect(await recentVersionWithId(secret.name, randomUUID())).toBeUndefined();
    expect((await settledVersion(secret.name, Date.now())).id).toBe(only);
  });

  it('are read again after five minutes in the background, and after a failure', async () => {
    const old = secret.rotate();
    await recentVersionWithId(secret.name, old);
    const now = secret.rotate();
    pass(5 * minute);
    expect(await recentVersionWithId(secret.name, now)).toBeUndefined();
    await settled();
    expect(secret.asked).toHaveLength(2);
    pass(1);
    secret.fail(new Error('down'));
    expect(await recentVersionWithId(secret.name, now)).toBeUndefined();
    await settled();
    secret.fail();
    expect(await recentVersionWithId(secret.name, now)).toBeUndefined();
    await settled();
    expect((await recentVersionWithId(secret.name, now))?.id).toBe(now);
    expect((await recentVersionWithId(secret.name, old))?.id).toBe(old);
  });

  it.each([undefined, 'AWSPREVIOUS'])('fail with Secrets Manager (stage: %s) if none are known', async (stage) => {
    const id = secret.rotate();
    secret.fail(new Error('down'), stage);
    await expect(recentVersionWithId(secret.name, id)).rejects.toThrow('down');
  });

  it.each([
    [0, 'previous'],
    [10 * minute - 1, 'previous'],
    [10 * minute, 'newest'],
    [24 * 60 * minute, 'newest'],
  ])('%i ms after a rotation have the %s as the one that every function knows', async (after, which) => {
    const ids = { previous: secret.rotate(new Date(0)), newest: secret.rotate(new Date(start)) };
    expect((await settledVersion(secret.name, start + after)).id).toBe(ids[which as keyof typeof ids]);
  });
});
