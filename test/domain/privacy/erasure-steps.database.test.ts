import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { erasePerson } from '../../../shared/domain/privacy/erase-person.ts';
import { erasures } from '../../../shared/domain/privacy/erasure-record.ts';
import { erasureResponse, readErasure, startErasure } from '../../../shared/domain/privacy/start-erasure.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { documents } from '../../../shared/platform/table/client.ts';
import { deleteItem } from '../../../shared/platform/table/items.ts';
import type { PageRequest } from '../../../shared/platform/table/page.ts';
import {
  at,
  newProgram,
  now,
  storeAffiliate,
  storeCode,
  storeCoupon,
  storeReferral,
  storeSale,
} from '../../support/domain.ts';
import { erase, itemsOf, itemsWith, workOnErasure } from '../../support/erasures.ts';
import { interrupted } from '../../support/interrupted.ts';
import { newPerson, type Someone, storePerson } from './person.ts';

afterEach(() => vi.restoreAllMocks());

const isWrite = (command: unknown): boolean =>
  command instanceof TransactWriteCommand || command instanceof UpdateCommand;

const textsOf = ({ unique }: Someone) => [unique];

describe('an erasure', () => {
  it('has the email encrypted while it works, and afterwards nothing of the person', async () => {
    const [program, person] = [newProgram(), newPerson()];
    await storePerson(program, person);
    const { id } = await startErasure(program.id, person.email, now);
    expect(
      (await itemsOf(program.id, 'ERASURE')).filter((item) => JSON.stringify(item).includes(person.unique)),
    ).toEqual([]);
    const seen: string[] = [];
    const delays = await workOnErasure(program.id, id, { before: async (pass) => seen.push(pass) });
    expect(delays).toEqual([40]);
    expect(seen.at(-1)).toBe('SWEEP');
    const erasure = await readErasure(program.id, id);
    expect(erasure).toMatchObject({ status: 'DONE', encryptedEmail: null, pass: 'FORGET' });
    expect(await itemsOf(program.id, 'ERASURE', 'FOUND')).toEqual([]);
    expect(await itemsOf(program.id, 'ERASURE', 'EMAIL')).toEqual([]);
  });

  it('is the same for the same person while it runs, and a new one afterwards', async () => {
    const [program, person] = [newProgram(), newPerson()];
    const [one, same, other] = await Promise.all([
      startErasure(program.id, person.email, now),
      startErasure(program.id, person.email, now),
      startErasure(program.id, `other-${person.email}`, now),
    ]);
    expect(same.id).toBe(one.id);
    expect(other.id).not.toBe(one.id);
    await workOnErasure(program.id, one.id);
    expect((await startErasure(program.id, person.email, now)).id).not.toBe(one.id);
    expect((await erasures.page(program.id, { limit: 10 })).items).toHaveLength(3);
  });

  it('sweeps what requests in flight have written when it ended, and nothing that came later', async () => {
    const [program, person] = [newProgram(), newPerson()];
    const { referrer } = await storePerson(program, person);
    const { id } = await startErasure(program.id, person.email, now);
    const { email, fullName: name } = person;
    let late = '';
    await workOnErasure(program.id, id, {
      before: async (pass) => {
        if (pass !== 'SWEEP') return;
        const { endedAt } = await readErasure(program.id, id);
        await storeSale(program, referrer.id, { name, email, updatedAt: at(-1) });
        late = (await storeSale(program, referrer.id, { name, email, updatedAt: endedAt ?? '' })).id;
      },
    });
    const left = (await sales.page(program.id, { limit: 10 })).items.filter((sale) => sale.email === email);
    expect(left.map((sale) => sale.id)).toEqual([late]);
  });

  it('counts each item once where every message comes twice at the same time', async () => {
    const [program, person] = [newProgram(), newPerson()];
    await storePerson(program, person);
    const erasure = await erase(program.id, person.email, { copies: 2 });
    expect(await itemsWith(textsOf(person), program.id)).toEqual([]);
    expect(erasureResponse(erasure)).toMatchObject({ records: 9, erased: { events: 6, deliveries: 6 } });
  });

  it('ends with the same result where its worker dies before and after every one of its writes', async () => {
    const [program, person] = [newProgram(), newPerson()];
    await storePerson(program, person);
    const { id } = await startErasure(program.id, person.email, now);
    const send = documents.send.bind(documents);
    let writes = 0;
    vi.spyOn(documents, 'send').mockImplementation(async (command: Parameters<typeof send>[0]) => {
      if (!isWrite(command)) return send(command);
      writes += 1;
      // Before it, after it, and then it lives.
      if (writes % 3 === 0) return send(command);
      if (writes % 3 === 2) await send(command);
      throw new Error('killed');
    });
    await workOnErasure(program.id, id, { onFailure: (error) => expect(error).toMatchObject({ message: 'killed' }) });
    vi.restoreAllMocks();
    expect(writes).toBeGreaterThan(60);
    expect(await itemsWith(textsOf(person), program.id)).toEqual([]);
    const erasure = await readErasure(program.id, id);
    expect(erasureResponse(erasure)).toMatchObject({ records: 9, erased: { events: 6, deliveries: 6 } });
  });

  it('ends where several records of others mention the email in fields that are unique in the program', async () => {
    const [program, { email }] = [newProgram(), newPerson()];
    const coupon = await storeCoupon(program);
    const storeAll = async (text: string) => {
      const affiliate = await storeAffiliate(program, { externalId: text });
      await storeReferral(program, { referredUserExternalId: text });
      await storeSale(program, affiliate.id, { externalId: text, externalInvoiceId: text });
      await storeCode(program, coupon, { externalId: text });
    };
    await storeAll(`${email}:1`);
    await storeAll(`${email}:2`);
    expect(await erase(program.id, email)).toMatchObject({ status: 'DONE' });
    const idsOf = async <Stored extends { id: string }>(
      { page }: { page: (programId: string, request: PageRequest) => Promise<{ items: readonly Stored[] }> },
      name: keyof Stored,
    ) => (await page(program.id, { limit: 10 })).items.map((record) => record[name] === `erased-${record.id}`);
    expect(await idsOf(affiliates, 'externalId')).toEqual([true, true]);
    expect(await idsOf(referrals, 'referredUserExternalId')).toEqual([true, true]);
    expect(await idsOf(sales, 'externalId')).toEqual([true, true]);
    expect(await idsOf(sales, 'externalInvoiceId')).toEqual([true, true]);
    expect(await idsOf(promotionalCodes, 'externalId')).toEqual([true, true]);
  });

  it('stops where its program was purged meanwhile', async () => {
    const [program, person] = [newProgram(), newPerson()];
    const { affiliate } = await storePerson(program, person);
    const erasure = await startErasure(program.id, person.email, now);
    const tools = { send: async () => {}, now: () => now, eventSteps: [] };
    const purge = () => deleteItem('records', erasures.keyOf(program.id, erasure.id));
    await interrupted(() => erasePerson({ programId: program.id, erasureId: erasure.id }, tools), purge);
    expect(await affiliates.find(program.id, 'EMAIL', person.email)).toMatchObject({ version: affiliate.version + 1 });
  });
});
