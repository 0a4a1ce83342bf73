import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { links } from '../../shared/domain/affiliates/link-repository.ts';
import { connectCode } from '../../shared/domain/promotional-codes/link-connections.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { writeTogether } from '../../shared/platform/table/transaction.ts';
import { eventsUntil, eventually } from '../support/events.ts';
import { enterLinks } from '../support/links.ts';
import { type Api, makeAffiliate, makeCode, makeCoupon, makeProgram } from '../support/program.ts';
import { makeStoredLink } from '../support/stored-records.ts';

const makeLink = async (api: Api, affiliateId: string, link = `link-${randomUUID()}`) => {
  const response = await api.post('/links', { link, affiliateId });
  expect(response.status, response.text).toBe(200);
  return response.body;
};

const linksOf = async (api: Api, affiliateId: string): Promise<string[]> =>
  (await api.get(`/affiliates?id=${affiliateId}`)).body.affiliateLinks.map(({ link }: { link: string }) => link);

const statuses = (responses: { status: number }[]) => responses.map(({ status }) => status).sort();

describe('reading', () => {
  it('finds a link by id and by slug case-insensitively, and lists those of an affiliate, newest first', async () => {
    const api = await makeProgram({ currency: 'EUR' });
    const affiliate = await makeAffiliate(api, { affiliateLink: 'Amara' });
    const second = await makeLink(api, affiliate.id, 'amara-summer');
    await makeAffiliate(api);
    const found = await api.get('/links?link=AMARA-Summer');
    expect(found.body).toEqual(second);
    expect(found.headers.get('etag')).toBe('"1"');
    expect((await api.get(`/links?id=${second.id}`)).body).toEqual(second);
    expect(second).toMatchObject({
      link: 'amara-summer',
      affiliate: { id: affiliate.id, name: 'Amara Okafor', email: affiliate.email },
      program: { id: api.programId, name: 'Test program', currency: 'EUR' },
      promotionalCodes: [],
      clicks: 0,
      referrals: 0,
      sales: 0,
      totalRevenue: 0,
    });
    const slugs = async (query: string) =>
      (await api.get(`/links?${query}`)).body.map((one: { link: string }) => one.link);
    expect(await slugs(`affiliateId=${affiliate.id}`)).toEqual(['amara-summer', 'Amara']);
    expect(await slugs(`affiliateEmail=${affiliate.email}`)).toEqual(['amara-summer', 'Amara']);
    expect(await slugs('affiliateEmail=nobody@example.com')).toEqual([]);
    expect(await slugs('')).toHaveLength(3);
  });

  it("returns the same 404 for what is not there and what is another program's", async () => {
    const [api, other] = await Promise.all([makeProgram(), makeProgram()]);
    const { affiliateLinks } = await makeAffiliate(other, { affiliateLink: 'theirs' });
    const [missing, foreign] = [
      await api.get(`/links?id=${randomUUID()}`),
      await api.get(`/links?id=${affiliateLinks[0].id}`),
    ];
    expect(missing.status).toBe(404);
    expect(foreign.text).toBe(missing.text);
    expect((await api.put('/links', { link: 'theirs', newLink: 'mine' })).body).toEqual({
      error: 404,
      message: 'Link not found',
    });
    expect((await api.delete('/links', { link: 'theirs' })).status).toBe(404);
  });
});

describe('creating', () => {
  it('shows on the affiliate and has its event', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { affiliateLink: 'first' });
    const response = await api.post('/links', { link: 'second', affiliateEmail: affiliate.email.toUpperCase() });
    expect(response.status, response.text).toBe(200);
    expect(await linksOf(api, affiliate.id)).toEqual(['first', 'second']);
    const made = await eventsUntil(api.programId, 'link.created', 2);
    expect(made.find(({ data }) => data.id === response.body.id)?.data).toEqual(response.body);
  });

  it('needs an affiliate of the program, and a slug of letters, digits and hyphens', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const refused = await api.post('/links', { link: 'free' });
    expect([refused.status, refused.body.error]).toEqual([400, 'affiliateId or affiliateEmail is required']);
    expect((await api.post('/links', { link: 'free', affiliateId: randomUUID() })).status).toBe(404);
    expect((await api.post('/links', { link: 'not free', affiliateId: affiliate.id })).status).toBe(400);
  });

  it('gives a slug, case-insensitively, to exactly one of many requests', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const slugs = ['Same', 'same', 'SAME', 'sAme', 'saMe', 'samE', 'SaMe', 'sAmE', 'SAme', 'saME'];
    const responses = await Promise.all(slugs.map((link) => api.post('/links', { link, affiliateId: affiliate.id })));
    expect(statuses(responses)).toEqual([200, ...Array(9).fill(400)]);
    const refused = responses.find(({ status }) => status === 400);
    expect(refused?.body.details).toEqual([{ path: 'link', message: 'link is already in use' }]);
    expect(await linksOf(api, affiliate.id)).toHaveLength(2);
  });

  it('never gives an affiliate more than 100 links, however many requests race', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { affiliateLink: 'first' });
    const slugs = Array.from({ length: 94 }, () => randomUUID());
    await enterLinks(api.programId, affiliate.id, slugs);
    const racing = await Promise.all(
      Array.from({ length: 12 }, () => api.post('/links', { link: `race-${randomUUID()}`, affiliateId: affiliate.id })),
    );
    expect(statuses(racing)).toEqual([...Array(5).fill(200), ...Array(7).fill(400)]);
    expect(await linksOf(api, affiliate.id)).toHaveLength(100);
    const added = await api.put('/affiliates', { affiliateId: affiliate.id, affiliateLink: 'one-more' });
    expect([added.status, added.body.details?.[0].path]).toEqual([400, 'affiliateLink']);
    // A link of a full affiliate can still be renamed.
    expect((await api.put('/links', { link: 'first', newLink: 'renamed' })).status).toBe(200);
  });
});

describe('codes of a link', () => {
  it('are the codes of its affiliate, under the names they have now', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api);
    const coupon = await makeCoupon(api);
    const code = await makeCode(api, coupon.id, { code: 'BEFORE', affiliateId: affiliate.id });
    const link = await makeLink(api, affiliate.id);
    const shown = async (text: string) => {
      const all = (await api.get(`/links?affiliateId=${affiliate.id}`)).body;
      const fits = all.every((one: { promotionalCodes: { code: string }[] }) => one.promotionalCodes[0]?.code === text);
      return fits && all;
    };
    expect(await eventually('the code on both links', () => shown('BEFORE'))).toHaveLength(2);
    await api.put('/promotional-codes', { promotionalCodeId: code.id, code: 'AFTER' });
    await eventually('the new name on both links', () => shown('AFTER'));
    await api.delete('/promotional-codes', { promotionalCodeId: code.id });
    await eventually('no code', async () => (await api.get(`/links?id=${link.id}`)).body.promotionalCodes.length === 0);
  });
});

it('a late message does not bring back the name that a code had before', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const code = await makeCode(api, (await makeCoupon(api)).id, { code: 'BEFORE', affiliateId: affiliate.id });
  const shown = async () => {
    const { body } = await api.get(`/links?affiliateId=${affiliate.id}`);
    return body[0].promotionalCodes[0]?.code;
  };
  await eventually('the code on the link', async () => (await shown()) === 'BEFORE');
  // The worker has read the code, and writes only after it was renamed and that has been worked on.
  let isRenamed = false;
  const send = documents.send.bind(documents);
  const spy = vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
    if (command.constructor.name === 'PutCommand' && !isRenamed) {
      isRenamed = true;
      await api.put('/promotional-codes', { promotionalCodeId: code.id, code: 'AFTER' });
      await eventually('the new name on the link', async () => (await shown()) === 'AFTER');
    }
    return send(command);
  }) as typeof documents.send);
  await connectCode(api.programId, code.id);
  spy.mockRestore();
  expect(await shown()).toBe('AFTER');
});

describe('renaming', () => {
  it('frees the old slug, shows on the affiliate and says in its event what it was', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { affiliateLink: 'amara-summer' });
    const renamed = await api.put('/links', { link: 'Amara-SUMMER', newLink: 'amara-autumn' });
    expect(renamed.status, renamed.text).toBe(200);
    expect(renamed.body).toMatchObject({ id: affiliate.affiliateLinks[0].id, link: 'amara-autumn' });
    expect(renamed.headers.get('etag')).toBe('"2"');
    expect(await linksOf(api, affiliate.id)).toEqual(['amara-autumn']);
    expect((await api.get('/links?link=amara-summer')).status).toBe(404);
    expect((await api.get('/affiliates?id=amara-autumn')).body.id).toBe(affiliate.id);
    await makeLink(api, affiliate.id, 'amara-summer');
    const [event] = await eventsUntil(api.programId, 'link.updated', 1);
    expect(event?.data).toEqual(renamed.body);
    expect(event?.previousAttributes).toEqual({ link: 'amara-summer' });
  });

  it('may change the case alone, and nothing at all', async () => {
    const api = await makeProgram();
    await makeAffiliate(api, { affiliateLink: 'amara' });
    expect((await api.put('/links', { link: 'amara', newLink: 'Amara' })).body.link).toBe('Amara');
    expect((await api.put('/links', { link: 'amara', newLink: 'Amara' })).status).toBe(200);
  });

  it('refuses a slug that is taken, and an id and a link that are two', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { affiliateLink: 'one' });
    const two = await makeLink(api, affiliate.id, 'two');
    const taken = await api.put('/links', { id: two.id, newLink: 'ONE' });
    expect([taken.status, taken.body.details]).toEqual([
      400,
      [{ path: 'newLink', message: 'newLink is already in use' }],
    ]);
    expect((await api.put('/links', { id: two.id, link: 'one', newLink: 'three' })).status).toBe(404);
    expect((await api.put('/links', { id: two.id, link: 'TWO', newLink: 'three' })).status).toBe(200);
    expect((await api.put('/links', { newLink: 'four' })).body.message).toBe('id or link is required');
  });
});

describe('deleting', () => {
  it('returns what it was, takes it from the affiliate and frees the slug', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { affiliateLink: 'one' });
    const two = await makeLink(api, affiliate.id, 'two');
    expect((await api.delete('/links', {})).body).toMatchObject({ error: 400, message: 'id or link is required' });
    expect((await api.delete('/links', { id: two.id, link: 'one' })).status).toBe(404);
    const deleted = await api.delete('/links', { id: two.id, link: 'two' });
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { message: 'Link deleted', deletedLink: { id: two.id, link: 'two' } },
    ]);
    expect((await api.delete('/links', { id: two.id })).body).toEqual({ error: 404, message: 'Link not found' });
    expect(await linksOf(api, affiliate.id)).toEqual(['one']);
    await makeLink(api, affiliate.id, 'TWO');
    const [event] = await eventsUntil(api.programId, 'link.deleted', 1);
    expect(event?.data).toEqual(two);
  });

  it('leaves nothing behind when it races renames of the same link', async () => {
    const api = await makeProgram();
    const affiliate = await makeAffiliate(api, { affiliateLink: 'stays' });
    for (let round = 0; round < 2; round++) {
      const { id } = await makeLink(api, affiliate.id, `before-${round}`);
      const [renamed, deleted] = await Promise.all([
        api.put('/links', { id, newLink: `after-${round}` }),
        api.delete('/links', { id }),
      ]);
      expect([200, 404]).toContain(renamed.status);
      expect(deleted.status, deleted.text).toBe(200);
      expect(await linksOf(api, affiliate.id)).toEqual(['stays']);
      for (const slug of [`before-${round}`, `after-${round}`])
        expect((await api.get(`/links?link=${slug}`)).status, slug).toBe(404);
      // Both slugs are free again.
      for (const slug of [`before-${round}`, `after-${round}`]) {
        const { id } = await makeLink(api, affiliate.id, slug);
        await api.delete('/links', { id });
      }
    }
  });
});

it('an affiliate comes to know a link whose request died before it told, and forgets one that was deleted so', async () => {
  const api = await makeProgram();
  const affiliate = await makeAffiliate(api);
  const id = randomUUID();
  const link = makeStoredLink({ id, link: `died-${id}`, affiliateId: affiliate.id });
  const known = async () => {
    const { affiliateLinks } = (await api.get(`/affiliates?id=${affiliate.id}`)).body;
    return affiliateLinks.some((one: { id: string }) => one.id === id);
  };
  await writeTogether(links.createWrites(api.programId, link));
  await eventually('the link on the affiliate', known);
  await writeTogether(links.deleteWrites(api.programId, link));
  await eventually('the link gone from the affiliate', async () => !(await known()));
});

it('10 links of one affiliate at once are all made', async () => {
  const api = await makeProgram();
  const { id: affiliateId } = await makeAffiliate(api);
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => api.post('/links', { link: `many-${randomUUID()}`, affiliateId })),
  );
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  expect((await api.get(`/affiliates?id=${affiliateId}`)).body.affiliateLinks).toHaveLength(11);
});
