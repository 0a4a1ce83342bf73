import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventCounts, eventsUntil, eventually } from '../support/events.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

const statuses = (responses: { status: number }[]) => responses.map(({ status }) => status).sort();
const emailsFound = async (api: Api, search: string): Promise<string[]> =>
  (await api.get(`/affiliates?search=${search}`)).body.map(({ email }: { email: string }) => email);

describe('PUT /affiliates', () => {
  it('changes the given fields and leaves the others', async () => {
    const api = await makeProgram();
    const before = await makeAffiliate(api, { commissionRate: 20, metadata: { tier: 'gold' }, externalId: 'crm-1' });
    const change = {
      email: 'Zoe.New@Example.com',
      firstName: 'Zoë',
      lastName: 'Łukasz',
      commissionRate: 12.5,
      affiliateStatus: 'banned',
      payoutEmail: 'pay@example.com',
      paymentMethod: 'WISE',
      externalId: null,
    };
    const response = await api.put('/affiliates', { affiliateId: before.id, ...change });
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('etag')).toBe('"2"');
    expect(response.body).toEqual({
      ...before,
      updatedAt: expect.any(String),
      email: 'zoe.new@example.com',
      firstName: 'Zoë',
      lastName: 'Łukasz',
      name: 'Zoë Łukasz',
      commissionRate: 12.5,
      status: 'BANNED',
      payoutEmail: 'pay@example.com',
      paymentMethod: 'WISE',
      externalId: null,
    });
    expect(response.body.updatedAt >= before.updatedAt).toBe(true);
    expect((await api.get(`/affiliates?id=${before.id}`)).body).toEqual(response.body);
    const [event] = await eventsUntil(api.programId, 'affiliate.updated', 1);
    expect(event?.data).toEqual(response.body);
    expect(event?.previousAttributes).toMatchObject({ email: before.email, name: 'Amara Okafor', status: 'ACTIVE' });
    expect(event?.previousAttributes).not.toHaveProperty('metadata');
  });

  it('is found by its new email, name and status, and no more by the old ones', async () => {
    const api = await makeProgram();
    const { id, email } = await makeAffiliate(api);
    await api.put('/affiliates', {
      emailAddress: email,
      email: 'new@example.com',
      firstName: 'Zoë',
      affiliateStatus: 'inactive',
    });
    expect((await api.get(`/affiliates?email=${email}`)).status).toBe(404);
    expect((await api.get('/affiliates?email=new@example.com')).body.id).toBe(id);
    expect(await emailsFound(api, 'amara')).toEqual([]);
    expect(await emailsFound(api, 'zo')).toEqual(['new@example.com']);
    expect(await emailsFound(api, 'new@')).toEqual(['new@example.com']);
    const inactive = async () => (await api.get('/affiliates?status=INACTIVE')).body.length === 1;
    await eventually('the new status in the list', inactive);
    // The old email is free again.
    expect((await makeAffiliate(api, { email })).email).toBe(email);
  });

  it("takes values away with null, and then the program's rate applies", async () => {
    const api = await makeProgram({ commissionRate: 15 });
    const { id } = await makeAffiliate(api, {
      commissionRate: 20,
      payoutEmail: 'pay@example.com',
      paymentMethod: 'BANK',
    });
    const response = await api.put('/affiliates', {
      affiliateId: id,
      lastName: null,
      commissionRate: null,
      payoutEmail: null,
      paymentMethod: null,
    });
    expect(response.body).toMatchObject({
      lastName: '',
      name: 'Amara',
      commissionRate: 15,
      payoutEmail: null,
      paymentMethod: null,
    });
  });

  it('says which affiliate is meant by id, email or both, and 404 where there is none', async () => {
    const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
    const { id, email } = await makeAffiliate(api);
    const foreign = await makeAffiliate(other);
    const put = (body: object) => api.put('/affiliates', body);
    expect((await put({ affiliateId: id, emailAddress: email, firstName: 'A' })).status).toBe(200);
    expect((await put({ affiliateId: id, emailAddress: 'x@example.com', firstName: 'A' })).status).toBe(404);
    const missing = await put({ affiliateId: randomUUID(), firstName: 'A' });
    expect(missing.body).toEqual({ error: 404, message: 'Affiliate not found' });
    expect((await put({ affiliateId: foreign.id, firstName: 'A' })).text).toBe(missing.text);
    expect((await put({ firstName: 'A' })).body.message).toBe('affiliateId or emailAddress is required');
    expect((await put({ affiliateId: id, status: 'GONE' })).body.details[0].path).toBe('status');
  });

  it('adds a link in the same transaction, and keeps one that the affiliate has', async () => {
    const api = await makeProgram();
    const { id } = await makeAffiliate(api, { affiliateLink: 'one' });
    const taken = await makeAffiliate(api, { affiliateLink: 'taken' });
    const slugs = (body: { affiliateLinks: { link: string }[] }) => body.affiliateLinks.map(({ link }) => link);
    const added = await api.put('/affiliates', { affiliateId: id, affiliateLink: 'two', firstName: 'New' });
    expect(slugs(added.body)).toEqual(['one', 'two']);
    expect((await api.get('/links?link=TWO')).body.affiliate).toMatchObject({ id, name: 'New Okafor' });
    const [event] = await eventsUntil(api.programId, 'affiliate.updated', 1);
    expect(event?.previousAttributes).toMatchObject({ affiliateLinks: [{ link: 'one' }], firstName: 'Amara' });
    const again = await api.put('/affiliates', { affiliateId: id, affiliateLink: 'TWO' });
    expect(slugs(again.body)).toEqual(['one', 'two']);
    const refused = await api.put('/affiliates', { affiliateId: id, affiliateLink: 'taken', firstName: 'Never' });
    expect([refused.status, refused.body.details[0].path]).toEqual([400, 'affiliateLink']);
    const refusedEmail = await api.put('/affiliates', { affiliateId: id, affiliateLink: 'three', email: taken.email });
    expect([refusedEmail.status, refusedEmail.body.details[0].path]).toEqual([400, 'email']);
    expect((await api.get('/links?link=three')).status).toBe(404);
    expect((await api.get(`/affiliates?id=${id}`)).body).toMatchObject({ firstName: 'New' });
  });

  it('loses nothing when many change different things of one affiliate at once', async () => {
    const api = await makeProgram();
    const { id } = await makeAffiliate(api, { affiliateLink: 'first' });
    const put = (body: object) => api.put('/affiliates', { affiliateId: id, ...body });
    const responses = await Promise.all([
      put({ firstName: 'Zoë' }),
      put({ payoutEmail: 'pay@example.com' }),
      put({ externalId: 'crm-1', affiliateLink: 'second' }),
      put({ affiliateStatus: 'inactive' }),
      ...['a', 'b', 'c', 'd'].map((link) => api.post('/links', { link, affiliateId: id })),
    ]);
    expect(statuses(responses)).toEqual(Array(8).fill(200));
    const { body } = await api.get(`/affiliates?id=${id}`);
    expect(body).toMatchObject({
      firstName: 'Zoë',
      payoutEmail: 'pay@example.com',
      externalId: 'crm-1',
      status: 'INACTIVE',
    });
    expect(body.affiliateLinks.map(({ link }: { link: string }) => link).sort()).toEqual([
      'a',
      'b',
      'c',
      'd',
      'first',
      'second',
    ]);
  });

  it('gives an email to exactly one of many affiliates that want it', async () => {
    const api = await makeProgram();
    const made = await Promise.all(Array.from({ length: 8 }, () => makeAffiliate(api)));
    const responses = await Promise.all(
      made.map(({ id }) => api.put('/affiliates', { affiliateId: id, email: 'wanted@example.com' })),
    );
    expect(statuses(responses)).toEqual([200, ...Array(7).fill(400)]);
  });

  it('returns 200 where nothing changes, and makes no event', async () => {
    const api = await makeProgram();
    const { id } = await makeAffiliate(api);
    const same = await api.put('/affiliates', { affiliateId: id, firstName: 'Amara' });
    expect(same.status).toBe(200);
    await api.put('/affiliates', { affiliateId: id, firstName: 'Zoë' });
    await eventsUntil(api.programId, 'affiliate.updated', 1);
    expect((await eventCounts(api.programId))['affiliate.updated']).toBe(1);
  });
});

describe('DELETE /affiliates', () => {
  it.each(['id', 'email'] as const)('by %s returns what it was, and 404 the second time', async (name) => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const { id, email } = affiliate;
    const deleted = await api.delete('/affiliates', { affiliateId: affiliate[name] });
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { message: 'Affiliate deleted', deletedAffiliate: { id, email } },
    ]);
    expect((await api.delete('/affiliates', { affiliateId: affiliate[name] })).status).toBe(404);
    expect((await api.get(`/affiliates?id=${id}`)).status).toBe(404);
    expect((await api.get(`/affiliates?email=${email}`)).status).toBe(404);
    expect(await emailsFound(api, 'amara')).toEqual([]);
    expect((await makeAffiliate(api, { email })).email).toBe(email);
    const [event] = await eventsUntil(api.programId, 'affiliate.deleted', 1);
    expect(event?.data).toEqual(affiliate);
  });

  it('is refused while an unpaid payout batch has sales of the affiliate', async () => {
    const api = await makeProgram();
    const { id } = await makeAffiliate(api);
    const sale = await api.post('/sales', { totalEarned: 100, referralId: id });
    expect(sale.status, sale.text).toBe(200);
    const batch = await eventually('a batch with the sale', async () => {
      const made = (await api.post('/payout-batches', {})).body;
      return eventually('the end of preparing', async () => {
        const { body } = await api.get(`/payout-batches?id=${made.id}`);
        return body.status !== 'PREPARING' && body;
      }).then((read) => read.status === 'READY' && read);
    });
    const refused = await api.delete('/affiliates', { affiliateId: id });
    expect([refused.status, refused.body.error]).toEqual([409, 409]);
    await api.put('/payout-batches', { payoutBatchId: batch.id, status: 'PAID' });
    await eventually('the deletion', async () => (await api.delete('/affiliates', { affiliateId: id })).status === 200);
    // What was paid is history and stays, with its affiliate's id.
    const kept = await api.get(`/sales?id=${sale.body.id}`);
    expect(kept.body).toMatchObject({ affiliateId: id, payoutBatchId: batch.id });
  });
});
