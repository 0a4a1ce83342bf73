import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  endPortalSession,
  isPortalSession,
  startPortalSession,
} from '../../../shared/domain/portal/portal-sessions.ts';
import { now } from '../../support/domain.ts';

const newSession = () => ({ id: randomUUID(), programId: randomUUID(), affiliateId: randomUUID() });

it('a link begins one session, however many try at the same moment, and none after it has ended', async () => {
  const session = newSession();
  expect(await isPortalSession(session)).toBe(false);
  const begun = await Promise.all(Array.from({ length: 5 }, () => startPortalSession(session, now)));
  expect(begun.filter(Boolean)).toHaveLength(1);
  expect(await isPortalSession(session)).toBe(true);
  await endPortalSession(session, now);
  expect(await isPortalSession(session)).toBe(false);
  expect(await startPortalSession(session, now)).toBe(false);
  expect(await isPortalSession(session)).toBe(false);
});

it('ending a session that has expired stores nothing', async () => {
  const session = newSession();
  await endPortalSession(session, now);
  expect(await isPortalSession(session)).toBe(false);
  expect(await startPortalSession(session, now)).toBe(true);
});

it('a session is of its affiliate and program alone', async () => {
  const session = newSession();
  await startPortalSession(session, now);
  expect(await isPortalSession({ ...session, affiliateId: randomUUID() })).toBe(false);
  expect(await isPortalSession({ ...session, programId: randomUUID() })).toBe(false);
});
