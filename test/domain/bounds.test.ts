import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type BoundName, bounds } from '../../shared/contract/bounds.ts';
import { findOrMakeAccount, getAccount } from '../../shared/domain/programs/accounts.ts';
import { createApiKey, deleteApiKey, listApiKeys } from '../../shared/domain/programs/api-keys.ts';
import { endSession } from '../../shared/domain/programs/ended-sessions.ts';
import { allMembers, inviteMember, removeMember } from '../../shared/domain/programs/members.ts';
import { createProgram, deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { programsOf } from '../../shared/domain/programs/repository.ts';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { allWebhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { unsubscribe } from '../../shared/webhooks/endpoints/subscriptions.ts';
import { inTurn } from '../support/in-turn.ts';
import { makeCoupon, makeProgram } from '../support/program.ts';

/** How a bound is tried: things are made beside each other until it is reached, and one more after one has gone. */
interface BoundTest {
  /** What makes things of one owner, in numbers that may pass the bound. */
  begin: () => Promise<{
    make: () => Promise<unknown>;
    count: () => Promise<number>;
    removeOne: () => Promise<unknown>;
  }>;
  sentence: string;
}

const now = new Date();

const programsOn =
  (plan: 'FREE' | 'BUSINESS'): BoundTest['begin'] =>
  async () => {
    const ownerEmail = `owner-${randomUUID()}@example.com`;
    await createProgram({ name: 'First', ownerEmail, plan }, now);
    return {
      make: () => createProgram({ name: 'Another', ownerEmail }, now),
      count: async () => (await programsOf(ownerEmail)).length,
      removeOne: async () => deleteProgram((await programsOf(ownerEmail))[0]?.id ?? ''),
    };
  };

const webhooksOf =
  (connection: 'CONNECTOR' | null): BoundTest['begin'] =>
  async () => {
    const { programId } = await makeProgram();
    const remove = connection === 'CONNECTOR' ? unsubscribe : deleteWebhook;
    const ours = async () => (await allWebhooks(programId)).filter((webhook) => webhook.connection === connection);
    const body = () => ({ url: `https://example.com/${randomUUID()}`, eventTypes: ['*' as const], active: false });
    return {
      make: () => createWebhook(programId, body(), now, connection),
      count: async () => (await ours()).length,
      removeOne: async () => remove(programId, (await ours())[0]?.id ?? ''),
    };
  };

const rule = (enabled: boolean) => ({
  autoCouponRule: { enabled, codeStructure: { randomChars: true }, prefix: '', randomCharsLength: 8, active: true },
});

const tests: Record<
  BoundName,
  BoundTest | 'test/web/form-limit.test.ts' | 'test/web/sign-in.test.ts' | 'test/api/rate-limit.test.ts'
> = {
  programsOfBusinessAccount: {
    begin: programsOn('BUSINESS'),
    sentence: 'An account on the BUSINESS plan has at most 20 programs',
  },
  programsOfFreeAccount: { begin: programsOn('FREE'), sentence: 'An account on the FREE plan has at most 1 program.' },
  keysOfProgram: {
    begin: async () => {
      const { programId } = await makeProgram();
      return {
        make: () => createApiKey(programId, 'Another', now),
        count: async () => (await listApiKeys(programId)).length,
        removeOne: async () => deleteApiKey(programId, (await listApiKeys(programId))[0]?.id ?? ''),
      };
    },
    sentence: 'A program has at most 50 API keys',
  },
  membersOfProgram: {
    begin: async () => {
      const { programId, ownerEmail } = await makeProgram();
      const invited = () => ({ email: `${randomUUID()}@example.com`, role: 'VIEWER' as const, invitedBy: ownerEmail });
      return {
        make: () => inviteMember({ id: programId, ownerEmail }, invited(), now),
        count: async () => (await allMembers(programId)).length,
        removeOne: async () => removeMember(programId, (await allMembers(programId))[0]?.id ?? ''),
      };
    },
    sentence: 'A program has at most 50 members',
  },
  endpointsOfProgram: { begin: webhooksOf(null), sentence: 'A program has at most 50 webhook endpoints' },
  subscriptionsOfProgram: { begin: webhooksOf('CONNECTOR'), sentence: 'A program has at most 100 subscriptions' },
  automaticCouponsOfProgram: {
    begin: async () => {
      const api = await makeProgram();
      const makeSwitchedOff = () => makeCoupon(api, rule(false));
      const spare = await Promise.all(Array.from({ length: 16 }, makeSwitchedOff));
      const enabled: string[] = [];
      const switchOn = async () => {
        const couponId = spare.pop()?.id;
        const { status, body } = await api.put('/coupons', { couponId, ...rule(true) });
        if (status !== 200) throw new Error(`${status} ${body.message}`);
        enabled.push(couponId);
      };
      const create = async () => {
        const { status, body } = await api.post('/coupons', { name: 'Spring', percentOff: 20, ...rule(true) });
        if (status !== 200) throw new Error(`${status} ${body.error}`);
        enabled.push(body.id);
      };
      let made = 0;
      return {
        make: () => {
          made += 1;
          return made % 2 ? switchOn() : create();
        },
        count: async () => enabled.length,
        removeOne: async () => api.put('/coupons', { couponId: enabled.pop(), ...rule(false) }),
      };
    },
    sentence: '400 A program has at most 20 coupons with an enabled autoCouponRule',
  },
  keysWithWholeRateLimit: 'test/api/rate-limit.test.ts',
  formsPerMinute: 'test/web/form-limit.test.ts',
  endedSessionsOfAccount: 'test/web/sign-in.test.ts',
  signInsOfBrowser: 'test/web/sign-in.test.ts',
};

const tried = Object.entries(tests).flatMap(([name, test]) =>
  typeof test === 'string' ? [] : [{ name: name as BoundName, ...test }],
);

describe.each(tried)('$name', ({ name, begin, sentence }) => {
  it('holds for requests beside each other, says so, and frees a place with each that goes', async () => {
    const bound = bounds[name];
    const { make, count, removeOne } = await begin();
    const free = bound - (await count());
    const raced = Math.min(free, 5);
    await inTurn(Array.from({ length: free - raced }), make, 3);
    // Twice as many and more race for what is left.
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, make));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(await count()).toBe(bound);
    expect(failures).toHaveLength(12 - raced);
    for (const failure of failures) expect(String(failure)).toContain(sentence);
    await removeOne();
    const again = await Promise.allSettled([make(), make(), make()]);
    expect(again.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    expect(await count()).toBe(bound);
  }, 120_000);
});

it('signing out and another plan leave the count of an account as it is', async () => {
  const ownerEmail = `owner-${randomUUID()}@example.com`;
  await findOrMakeAccount(ownerEmail);
  await createProgram({ name: 'First', ownerEmail }, now);
  await endSession(ownerEmail, { id: 'x', startedAt: 1 }, Date.now() + 1000, now);
  await setPlan(ownerEmail, 'BUSINESS');
  await createProgram({ name: 'Second', ownerEmail }, now);
  await setPlan(ownerEmail, 'FREE');
  await expect(createProgram({ name: 'Third', ownerEmail }, now)).rejects.toThrow('at most 1 program');
  expect((await getAccount(ownerEmail))?.programCount).toBe(2);
});
