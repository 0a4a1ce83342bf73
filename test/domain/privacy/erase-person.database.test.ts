import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { links } from '../../../shared/domain/affiliates/link-repository.ts';
import { affiliates, waitingAffiliates } from '../../../shared/domain/affiliates/repository.ts';
import { searchedIn } from '../../../shared/domain/affiliates/search.ts';
import { firstSaleAtOf, hasOrdered } from '../../../shared/domain/attribution/customers.ts';
import { auditEntries } from '../../../shared/domain/audit/audit-log.ts';
import { packChanges } from '../../../shared/domain/audit/changes.ts';
import { erasureResponse } from '../../../shared/domain/privacy/start-erasure.ts';
import { promotionalCodes } from '../../../shared/domain/promotional-codes/repository.ts';
import { referrals } from '../../../shared/domain/referrals/repository.ts';
import { sales } from '../../../shared/domain/sales/repository.ts';
import { isQuietChange } from '../../../shared/platform/table/quiet-writes.ts';
import { searchWordsOf } from '../../../shared/platform/table/search.ts';
import { writeTogether } from '../../../shared/platform/table/transaction.ts';
import { makeStoredAuditEntry } from '../../support/audit-entries.ts';
import { at, newProgram, now, storeAffiliate, storeReferral } from '../../support/domain.ts';
import { erase, itemsOf, itemsWith } from '../../support/erasures.ts';
import { makePlannedImport } from '../../support/imports.ts';
import { makeStoredAffiliate, waitingApplication } from '../../support/stored-records.ts';
import { newPerson, type Someone, storePerson } from './person.ts';

const textsOf = ({ unique }: Someone) => [unique];

describe('a person who is erased', () => {
  it('is nowhere in the tables, and all that remains of them keeps its amounts', async () => {
    const [program, person] = [newProgram(), newPerson()];
    const { affiliate, link, code, forCustomer, referral, sale, withoutEmail, made } = await storePerson(
      program,
      person,
    );
    expect((await itemsWith(textsOf(person), program.id)).length).toBeGreaterThan(30);

    const erasure = await erase(program.id, person.email);
    expect(await itemsWith(textsOf(person), program.id)).toEqual([]);
    expect(erasureResponse(erasure)).toMatchObject({
      status: 'DONE',
      records: 9,
      erased: {
        // The second one mentions the email.
        affiliates: 2,
        links: 1,
        promotionalCodes: 2,
        referrals: 1,
        sales: 2,
        deletedRecords: 1,
        events: made.length,
        deliveries: made.length,
      },
    });

    expect(await affiliates.get(program.id, affiliate.id)).toMatchObject({
      firstName: 'erased',
      lastName: 'erased',
      email: `erased-${affiliate.id}@erased.invalid`,
      status: 'INACTIVE',
      payoutEmail: null,
      externalId: null,
      links: { [link.id]: { link: `erased-${link.id}` } },
      metadata: {},
      application: { status: 'DECLINED', entries: [], message: null },
    });
    expect(await links.get(program.id, link.id)).toMatchObject({
      link: `erased-${link.id}`,
      destinationUrl: null,
      clicks: 3,
    });
    expect(await promotionalCodes.get(program.id, code.id)).toMatchObject({ active: false, metadata: {} });
    expect(await promotionalCodes.get(program.id, forCustomer.id)).toMatchObject({
      code: forCustomer.code,
      active: true,
      limitToCustomers: true,
      customerId: 'erased',
    });
    expect(await referrals.get(program.id, referral.id)).toMatchObject({
      name: 'erased',
      email: `erased-${referral.id}@erased.invalid`,
      affiliateId: referral.affiliateId,
      referredUserExternalId: null,
      notes: 'erased',
      metadata: {},
    });
    for (const before of [sale, withoutEmail])
      expect(await sales.get(program.id, before.id)).toMatchObject({
        name: 'erased',
        email: `erased-${erasure.id}@erased.invalid`,
        customerId: null,
        metadata: {},
        affiliateId: before.affiliateId,
        totalEarnedMinor: before.totalEarnedMinor,
        commissionEarnedMinor: before.commissionEarnedMinor,
      });
    expect(await sales.get(program.id, sale.id)).toMatchObject({
      externalId: `erased-${sale.id}`,
      contentHash: 'erased',
    });
  });

  it('has no application that waits any more, nor its slot, in the affiliate and in the tombstone of one', async () => {
    const [program, { email, firstName }] = [newProgram(), newPerson()];
    const entries = [{ question: 'Where do you write?', text: firstName }];
    const waiting = {
      email,
      status: 'INACTIVE',
      application: waitingApplication({ entries }),
      waitingSlot: 7,
    } as const;
    const { id } = await storeAffiliate(program, waiting);
    const [before] = await itemsOf(program.id, 'AFFILIATE');
    const deleted = makeStoredAffiliate({ ...waiting, id: randomUUID() });
    await writeTogether([affiliates.tombstoneWrite(program.id, deleted, now)]);
    await erase(program.id, email);
    const declined = { status: 'INACTIVE', application: waitingApplication({ status: 'DECLINED' }), waitingSlot: null };
    expect(await affiliates.get(program.id, id)).toMatchObject(declined);
    expect(await itemsOf(program.id, 'TOMBSTONE', 'AFFILIATE')).toMatchObject([declined]);
    expect((await affiliates.page(program.id, { limit: 10 }, waitingAffiliates)).items).toEqual([]);
    expect(await itemsOf(program.id, 'AFFILIATE', 'SLOT')).toEqual([]);
    // So that no mail of a decision follows.
    const [after] = await itemsOf(program.id, 'AFFILIATE');
    expect(isQuietChange({ before, after })).toBe(true);
  });

  it('leaves the email free, and orders of before are no orders of whoever has it next', async () => {
    const [program, person] = [newProgram(), newPerson()];
    await storePerson(program, person);
    const { id } = await erase(program.id, person.email);
    expect(await affiliates.find(program.id, 'EMAIL', person.email)).toBeUndefined();
    await storeAffiliate(program, { email: person.email });
    await storeReferral(program, { email: person.email });
    expect(await hasOrdered(program.id, person.email)).toBe(false);
    const customer = `erased-${id}@erased.invalid`;
    expect(await firstSaleAtOf(program.id, customer)).toBe(at(-9000));
    expect(await itemsOf(program.id, 'SALE', 'CUSTOMER')).toEqual([
      expect.objectContaining({ sk: customer, orders: 2 }),
    ]);
  });

  it('is found by the word erased, as everybody who was', async () => {
    const [program, person] = [newProgram(), newPerson()];
    const { affiliate } = await storePerson(program, person);
    await erase(program.id, person.email);
    const after = await affiliates.get(program.id, affiliate.id);
    expect(after?.searchWords).toEqual(after && searchWordsOf(searchedIn(after)));
    const words = await itemsOf(program.id, 'AFFILIATE', 'WORD');
    expect(words.map(({ id }) => id)).toEqual(after?.searchWords.map(() => affiliate.id));
  });

  it('makes no events: every edit is quiet, and the next edit is not', async () => {
    const [program, person] = [newProgram(), newPerson()];
    await storePerson(program, person);
    const read = async () => {
      const all = await Promise.all(
        (['AFFILIATE', 'LINK', 'PROMOTIONAL_CODE', 'REFERRAL', 'SALE'] as const).map((kind) =>
          itemsOf(program.id, kind),
        ),
      );
      return new Map(all.flat().map((item) => [String(item.id), item]));
    };
    const before = await read();
    await erase(program.id, person.email);
    const after = await read();
    const changed = [...after].filter(([id, item]) => item.version !== before.get(id)?.version);
    expect(changed).toHaveLength(8);
    for (const [id, item] of changed) expect(isQuietChange({ before: before.get(id), after: item })).toBe(true);
    const [affiliate] = (await affiliates.page(program.id, { limit: 1 })).items;
    if (!affiliate) throw new Error('There is no affiliate');
    await writeTogether(affiliates.updateWrites(program.id, affiliate, { ...affiliate, firstName: 'Zoë' }));
    const edited = (await read()).get(affiliate.id);
    expect(isQuietChange({ before: after.get(affiliate.id), after: edited })).toBe(false);
  });

  it('is the only one: everybody else in the program and in others stays as they are', async () => {
    const [program, other, person, somebody] = [newProgram(), newProgram(), newPerson(), newPerson()];
    await storePerson(program, person);
    await storePerson(program, somebody);
    await storePerson(other, person);
    const snapshot = async () => ({
      somebody: (await itemsWith(textsOf(somebody), program.id)).toSorted(),
      other: (await itemsWith([other.id], other.id)).toSorted(),
    });
    const before = await snapshot();
    await erase(program.id, person.email);
    expect(await snapshot()).toEqual(before);
    expect(await itemsWith(textsOf(person), program.id)).toEqual([]);
  });

  it('leaves whoever has a longer email that contains theirs, in records, events, the audit log and reports', async () => {
    const [program, person] = [newProgram(), newPerson()];
    const somebody = { ...newPerson(), email: `jor${person.email}` };
    await storePerson(program, person);
    const { referral } = await storePerson(program, somebody);
    await storeReferral(program, { email: `${person.email}.au`, referredUserExternalId: `order-${somebody.email}` });
    const changes = { name: { from: null, to: somebody.fullName }, email: { from: null, to: somebody.email } };
    const entry = { action: 'CREATED', recordType: 'REFERRAL', recordId: referral.id } as const;
    await writeTogether(
      auditEntries.createWrites(
        program.id,
        makeStoredAuditEntry({ ...entry, changes: packChanges('CREATED', changes) }, now),
      ),
    );
    await makePlannedImport(program.id, 'people.csv', now, `${somebody.email} has a referral`);
    const read = async () =>
      (await itemsWith([somebody.unique, somebody.email, `${person.email}.au`], program.id)).toSorted();
    const before = await read();
    expect(before.length).toBeGreaterThan(30);
    await erase(program.id, person.email);
    expect(await read()).toEqual(before);
    expect(await itemsWith([person.firstName, person.lastName], program.id)).toEqual([]);
  });
});
