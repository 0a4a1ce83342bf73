import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type BoundName, bounds } from '../../shared/contract/bounds.ts';
import { assets } from '../../shared/domain/assets/asset-record.ts';
import { createText, deleteAsset } from '../../shared/domain/assets/manage-assets.ts';
import { deleteGroup } from '../../shared/domain/deletions/delete-group.ts';
import { createGroup } from '../../shared/domain/groups/create-group.ts';
import { groupSlots, groupsOf } from '../../shared/domain/groups/repository.ts';
import { createPayoutBatch } from '../../shared/domain/payouts/create-payout-batch.ts';
import { deletePayoutBatch } from '../../shared/domain/payouts/delete-payout-batch.ts';
import { payoutBatches } from '../../shared/domain/payouts/repository.ts';
import { findOrMakeAccount, getAccount } from '../../shared/domain/programs/accounts.ts';
import { createApiKey, deleteApiKey, listApiKeys } from '../../shared/domain/programs/api-keys.ts';
import { endSession } from '../../shared/domain/programs/ended-sessions.ts';
import { allMembers, inviteMember, removeMember } from '../../shared/domain/programs/members.ts';
import { createProgram, deleteProgram, setPlan } from '../../shared/domain/programs/programs.ts';
import { withinPlan } from '../../shared/domain/programs/record-bound.ts';
import { allApiKeys, apiKeys, programsOf } from '../../shared/domain/programs/repository.ts';
import { createAffiliateCode } from '../../shared/domain/promotional-codes/create-affiliate-code.ts';
import { deletePromotionalCode } from '../../shared/domain/promotional-codes/delete-promotional-code.ts';
import { promotionalCodes } from '../../shared/domain/promotional-codes/repository.ts';
import { sales } from '../../shared/domain/sales/repository.ts';
import { newRecordId } from '../../shared/platform/table/record-id.ts';
import { fullSentence } from '../../shared/web/components/plan.tsx';
import { createWebhook } from '../../shared/webhooks/endpoints/create-webhook.ts';
import { deleteWebhook } from '../../shared/webhooks/endpoints/delete-webhook.ts';
import { allWebhooks } from '../../shared/webhooks/endpoints/repository.ts';
import { unsubscribe } from '../../shared/webhooks/endpoints/subscriptions.ts';
import { newProgram, storeAffiliate, storeCoupon } from '../support/domain.ts';
import { inTurn } from '../support/in-turn.ts';
import { interrupted } from '../support/interrupted.ts';
import { makeStoredSale, storeAll } from '../support/sales.ts';
import { storeProgram } from '../support/webhooks.ts';

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

/** Places that are left free for the race, if the bound is that large. */
const raced = 2;
const racers = 5;

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
    const { id: programId } = await storeProgram();
    const remove = connection === 'CONNECTOR' ? unsubscribe : deleteWebhook;
    const ours = async () => (await allWebhooks(programId)).filter((webhook) => webhook.connection === connection);
    const body = () => ({ url: `https://example.com/${randomUUID()}`, eventTypes: ['*' as const], active: false });
    return {
      make: () => createWebhook(programId, body(), now, connection),
      count: async () => (await ours()).length,
      removeOne: async () => remove(programId, (await ours())[0]?.id ?? '', now),
    };
  };

/** Stores keys directly, because creating one updates all others. */
const storeKeys = async (programId: string, count: number) => {
  const [first] = await allApiKeys(programId);
  if (!first) throw new Error('A new program has a key');
  const keys = Array.from({ length: count }, (_, at) => ({
    ...first,
    id: newRecordId(now),
    tokenHash: randomUUID(),
    slot: at + 1,
  }));
  await storeAll(keys.flatMap((key) => apiKeys.createWrites(programId, key)));
};

const tests: Record<BoundName, BoundTest | `test/${string}.test.ts`> = {
  programsOfBusinessAccount: {
    begin: programsOn('BUSINESS'),
    sentence: 'An account on the BUSINESS plan has at most 20 programs',
  },
  programsOfFreeAccount: { begin: programsOn('FREE'), sentence: 'An account on the FREE plan has at most 1 program.' },
  recordsOfFreeProgram: {
    begin: async () => {
      const program = await storeProgram('FREE');
      const stored = Array.from({ length: bounds.recordsOfFreeProgram - 1 - raced }, () =>
        makeStoredSale(randomUUID()),
      );
      await storeAll(stored.flatMap((sale) => sales.createWrites(program.id, sale)));
      const ours = async () => (await sales.page(program.id, { limit: bounds.recordsOfFreeProgram + racers })).items;
      const batches = async () => (await payoutBatches.page(program.id, { limit: 100 })).items;
      let minutes = 0;
      return {
        make: () => {
          // A full program is counted once a minute.
          minutes += 1;
          const later = new Date(now.getTime() + minutes * 60_000);
          const plan = { now: later, sentence: fullSentence(true) };
          return withinPlan(program, plan, () => createPayoutBatch(program, {}, now));
        },
        count: async () => (await ours()).length + (await batches()).length,
        removeOne: async () => deletePayoutBatch(program.id, (await batches())[0]?.id ?? '', undefined, now),
      };
    },
    sentence: 'This program has all the 500 records that it may have on the FREE plan',
  },
  keysOfProgram: {
    begin: async () => {
      const { id: programId } = await storeProgram();
      await storeKeys(programId, bounds.keysOfProgram - 1 - raced);
      return {
        make: () => createApiKey(programId, 'Another', now),
        count: async () => (await listApiKeys(programId)).length,
        removeOne: async () => deleteApiKey(programId, (await listApiKeys(programId))[0]?.id ?? '', now),
      };
    },
    sentence: 'A program has at most 50 API keys',
  },
  groupsOfProgram: {
    begin: async () => {
      const program = await storeProgram();
      const { id } = program;
      const body = { name: 'Another', commissionRate: 10, productRules: [], tiers: [], holdDays: 0 };
      const ours = async () => (await groupsOf(id)).groups;
      const free = groupSlots.count - raced;
      for (let slot = 0; slot < free; slot++) await createGroup(program, body, now);
      return {
        make: () => createGroup(program, body, now),
        // With the default group.
        count: async () => (await ours()).length + 1,
        removeOne: async () => deleteGroup(program, { groupId: (await ours())[0]?.id ?? '' }, undefined, now),
      };
    },
    sentence: 'A program has at most 50 groups',
  },
  assetsOfProgram: {
    begin: async () => {
      const { id: programId } = await storeProgram();
      const make = () => createText(programId, { title: 'Another', text: 'Look' }, now);
      const ours = async () => (await assets.page(programId, { limit: bounds.assetsOfProgram + racers })).items;
      for (let made = 0; made < bounds.assetsOfProgram - raced; made++) await make();
      return {
        make,
        count: async () => (await ours()).length,
        removeOne: async () => deleteAsset(programId, (await ours())[0]?.id ?? '', now),
      };
    },
    sentence: 'A program has at most 100 assets',
  },
  membersOfProgram: {
    begin: async () => {
      const { id: programId, ownerEmail } = await storeProgram();
      const invited = () => ({ email: `${randomUUID()}@example.com`, role: 'VIEWER' as const, invitedBy: ownerEmail });
      return {
        make: () => inviteMember({ id: programId, ownerEmail }, invited(), now),
        count: async () => (await allMembers(programId)).length,
        removeOne: async () => removeMember(programId, (await allMembers(programId))[0]?.id ?? '', now),
      };
    },
    sentence: 'A program has at most 50 members',
  },
  endpointsOfProgram: { begin: webhooksOf(null), sentence: 'A program has at most 50 webhook endpoints' },
  subscriptionsOfProgram: { begin: webhooksOf('CONNECTOR'), sentence: 'A program has at most 100 subscriptions' },
  codesOfAffiliateOfCoupon: {
    begin: async () => {
      const program = newProgram();
      const [affiliate, coupon] = await Promise.all([
        storeAffiliate(program),
        storeCoupon(program, { allowAffiliateCodes: true }),
      ]);
      const ours = async () => (await promotionalCodes.page(program.id, { limit: 100 })).items;
      return {
        make: () => createAffiliateCode(program.id, affiliate, { couponId: coupon.id, code: randomUUID() }, now),
        count: async () => (await ours()).length,
        removeOne: async () => deletePromotionalCode(program.id, (await ours())[0]?.id ?? '', undefined, now),
      };
    },
    sentence: 'which is the most',
  },
  automaticCouponsOfProgram: 'test/domain/coupons/coupons.database.test.ts',
  keysWithWholeRateLimit: 'test/domain/programs/programs.database.test.ts',
  signInLinksPerMinute: 'test/web/portal-mails.database.test.ts',
  applicationsOfProgramPerMinute: 'test/web/apply-robots.database.test.ts',
  waitingApplicationsOfBusinessProgram: 'test/web/waiting-applications.database.test.ts',
  waitingApplicationsOfFreeProgram: 'test/web/waiting-applications.database.test.ts',
  daysUntilNextApplication: 'test/web/apply.database.test.ts',
  formsPerMinute: 'test/web/form-limit.test.ts',
  pagesPerFormOfLimit: 'test/web/account-limits.database.test.ts',
  recordsPerFormOfLimit: 'test/web/account-limits.database.test.ts',
  endedSessionsOfAccount: 'test/web/sign-in.test.ts',
  revealsOfSecret: 'test/domain/programs/reveals.database.test.ts',
  mailsOfBusinessProgramInDay: 'test/platform/mail/claim.database.test.ts',
  mailsOfFreeProgramInDay: 'test/platform/mail/claim.database.test.ts',
  strangersMailsOfBusinessProgramInDay: 'test/platform/mail/claim.database.test.ts',
  strangersMailsOfFreeProgramInDay: 'test/platform/mail/claim.database.test.ts',
  mailsOfAddressInHour: 'test/platform/mail/claim.database.test.ts',
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
    const left = Math.min(free, raced);
    await inTurn(Array.from({ length: free - left }), make, 3);
    const outcomes = await Promise.allSettled(Array.from({ length: racers }, make));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(await count()).toBe(bound);
    expect(failures).toHaveLength(racers - left);
    for (const failure of failures) expect(String(failure)).toContain(sentence);
    await removeOne();
    const again = await Promise.allSettled([make(), make()]);
    expect(again.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    expect(await count()).toBe(bound);
    await removeOne();
    await expect(interrupted(make, make, 'transaction')).rejects.toThrow(sentence);
    expect(await count()).toBe(bound);
  });
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
