import { randomInt, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Operation } from '../../shared/contract/operation.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { apiPath } from '../../shared/http/api.ts';
import { admitted } from '../../shared/platform/clients/admission.ts';
import { currentWriter } from '../../shared/platform/table/actor.ts';
import { type Given, handlersOf, readThing, responseTo, type Sent } from './served-path.ts';

export const read: Operation = { ...readThing, auth: 'key' };
export const create: Operation = { ...read, id: 'createThing', method: 'POST' };

/** Limits of a minute for the tests of a file, whose logs are not shown. */
export const withLimits = (reads: number, writes: number): void => {
  beforeEach(() => {
    for (const output of ['log', 'error'] as const) vi.spyOn(console, output).mockImplementation(() => {});
    vi.stubEnv('RATE_LIMIT_READS', String(reads));
    vi.stubEnv('RATE_LIMIT_WRITES', String(writes));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
};

/** A program in euros, with a key. */
export const makeProgram = async () => {
  const ownerEmail = `${randomUUID()}@example.com`;
  const settings = { name: 'Asked', ownerEmail, currency: 'EUR', commissionRate: 30 };
  return { ownerEmail, ...(await createProgram(settings, new Date())) };
};
export const withKey = (token: string, sent: Sent = {}): Sent => ({
  ...sent,
  headers: { authorization: `Bearer ${token}`, ...sent.headers },
});

/** A path with a handler, and what that was given each time that it could have written. */
export const path = (operations: readonly Operation[], respond: (request: Given) => unknown = () => ({})) => {
  const given: (Given & { actor: string | undefined })[] = [];
  const lambda = apiPath(
    ...handlersOf(operations, async (request) => {
      await admitted();
      given.push({ ...request, actor: currentWriter()?.by });
      return respond(request);
    }),
  );
  // Unknown keys are counted by address.
  const sourceIp = `2001:db8:${randomInt(0x10000).toString(16)}:${randomInt(0x10000).toString(16)}::1`;
  return { ask: (sent: Sent = {}) => responseTo(lambda, { sourceIp, ...sent }), given };
};
