import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultGroupId } from '../../shared/domain/groups/rules.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const newEmail = () => `${randomUUID()}@example.com`;
const person = (more: Record<string, unknown> = {}) => ({ email: newEmail(), firstName: 'Amara', ...more });

let api: Api;
beforeAll(async () => {
  api = await makeProgram({ commissionRate: 15 });
});

const refusal = async (more: Record<string, unknown>) => {
  const { status, body } = await api.post('/affiliates', person(more));
  expect(status).toBe(400);
  return body.error;
};

describe('POST /affiliates', () => {
  it('needs an email and a first name, and returns the whole record', async () => {
    const email = newEmail();
    const { status, body } = await api.post('/affiliates', { email, firstName: 'Amara' });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(uuid),
      createdAt: expect.stringMatching(time),
      updatedAt: body.createdAt,
      programId: api.programId,
      firstName: 'Amara',
      lastName: '',
      name: 'Amara',
      email,
      status: 'ACTIVE',
      commissionRate: 15,
      payoutEmail: null,
      paymentMethod: null,
      externalId: null,
      groupId: defaultGroupId(api.programId),
      source: 'API',
      application: null,
      affiliateLinks: [
        {
          id: expect.stringMatching(uuid),
          link: expect.stringMatching(/^amara/),
          createdAt: body.createdAt,
          updatedAt: body.createdAt,
        },
      ],
      numberOfReferredUsers: 0,
      numberOfClicks: 0,
      totalRevenue: 0,
      totalCommissionEarned: 0,
      totalCommissionPaid: 0,
      metadata: {},
    });
  });

  it('keeps every field it is given', async () => {
    const slug = `Amara-${randomUUID()}`;
    const sent = {
      lastName: 'Okafor',
      commissionRate: 33.3,
      payoutEmail: 'Pay@Example.com',
      paymentMethod: 'WISE',
      externalId: 'crm-17',
      metadata: { tier: 'gold', joined: 2026, trial: false },
    };
    const made = await makeAffiliate(api, { ...sent, affiliateLink: slug, affiliateStatus: 'inactive' });
    expect(made).toMatchObject({ ...sent, payoutEmail: 'pay@example.com', name: 'Amara Okafor', status: 'INACTIVE' });
    expect(made.affiliateLinks[0].link).toBe(slug);
    expect((await api.get(`/affiliates?id=${made.id}`)).body).toEqual(made);
  });

  it('is found by each of its slugs, also by one that looks like an id', async () => {
    const hexDigits = randomUUID().replaceAll('-', '');
    const slugs = [`${hexDigits}-abc`, `-${hexDigits}---`, randomUUID(), randomUUID().toUpperCase()];
    expect(slugs.map(({ length }) => length)).toEqual([36, 36, 36, 36]);
    for (const affiliateLink of slugs) {
      const { id } = await makeAffiliate(api, { affiliateLink });
      const found = await api.get(`/affiliates?id=${affiliateLink}`);
      expect([found.status, found.body.id], affiliateLink).toEqual([200, id]);
    }
    expect((await api.get(`/affiliates?id=${randomUUID()}`)).status).toBe(404);
  });

  it('takes null for what is not given', async () => {
    const nothing = {
      lastName: null,
      commissionRate: null,
      affiliateLink: null,
      payoutEmail: null,
      paymentMethod: null,
      externalId: null,
      metadata: null,
    };
    expect(await makeAffiliate(api, nothing)).toMatchObject({ lastName: '', commissionRate: 15, metadata: {} });
  });

  it('trims names and emails, and lower-cases emails', async () => {
    const email = newEmail();
    const made = await makeAffiliate(api, { email: `  ${email.toUpperCase()} `, firstName: ' Zoë ', lastName: ' L ' });
    expect(made).toMatchObject({ email, firstName: 'Zoë', lastName: 'L', name: 'Zoë L' });
  });

  it('refuses an email that is already in use, however it is written', async () => {
    const { email } = await makeAffiliate(api);
    for (const again of [email, email.toUpperCase(), ` ${email} `]) {
      const { status, body } = await api.post('/affiliates', person({ email: again }));
      expect({ status, body }).toEqual({
        status: 400,
        body: {
          error: `An affiliate with the email ${email} already exists`,
          details: [{ path: 'email', message: 'email is already in use' }],
        },
      });
    }
  });

  it('does not mind an email, a link or a name of another program', async () => {
    const other = await makeProgram();
    const link = randomUUID();
    const { email } = await makeAffiliate(api, { affiliateLink: link });
    expect((await makeAffiliate(other, { email, affiliateLink: link })).affiliateLinks[0].link).toBe(link);
    await makeAffiliate(api, { firstName: 'Siobhán', lastName: "O'Brien" });
    const namesake = await makeAffiliate(other, { firstName: 'Siobhán', lastName: "O'Brien" });
    expect(namesake.affiliateLinks[0].link).toBe('siobhan-obrien');
  });

  it('makes the first link from the name, else from the email, and adds a number until it is free', async () => {
    const fresh = await makeProgram();
    const linkOf = async (more: Record<string, unknown>) => (await makeAffiliate(fresh, more)).affiliateLinks[0].link;
    const zoe = { firstName: 'Zoë', lastName: 'Lindqvist' };
    expect(await linkOf(zoe)).toBe('zoe-lindqvist');
    expect(await linkOf(zoe)).toBe('zoe-lindqvist-2');
    expect(await linkOf(zoe)).toBe('zoe-lindqvist-3');
    expect(await linkOf({ firstName: '!!!', lastName: '', email: 'jean.luc@example.com' })).toBe('jean-luc');
    for (let more = 0; more < 8; more++) expect(await linkOf(zoe)).toMatch(/^zoe-lindqvist-\d+$/);
  });

  it('refuses a link that is taken, case-insensitively, and keeps nothing of the request', async () => {
    const link = `Taken-${randomUUID()}`;
    await makeAffiliate(api, { affiliateLink: link });
    const email = newEmail();
    const { status, body } = await api.post('/affiliates', person({ email, affiliateLink: link.toLowerCase() }));
    expect(status).toBe(400);
    expect(body).toEqual({
      error: `The affiliate link ${link.toLowerCase()} is already in use`,
      details: [{ path: 'affiliateLink', message: 'affiliateLink is already in use' }],
    });
    expect((await api.get(`/affiliates?email=${email}`)).status).toBe(404);
    await makeAffiliate(api, { email });
  });

  it.each([0, 100, 12.345])('takes a commission rate of %d as it is', async (commissionRate) =>
    expect((await makeAffiliate(api, { commissionRate })).commissionRate).toBe(commissionRate),
  );
});

describe('metadata', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key ${at}`, at]));

  it.each<Record<string, unknown>>([
    { text: '', zero: 0, no: false, yes: true, small: 1e-7, large: 9_007_199_254_740_991, negative: -0.1 },
    { 'a key.with $signs': 'ünï 😀 \n', ключ: '值', constructor: 'x', toString: 'y', length: 1 },
    keys(50),
    { long: 'x'.repeat(500) },
  ])('comes back unchanged (%#)', async (metadata) => {
    const { id } = await makeAffiliate(api, { metadata });
    const { body } = await api.get(`/affiliates?id=${id}`);
    expect(body.metadata).toEqual(metadata);
  });

  it.each<{ refused: unknown }>([
    { refused: keys(51) },
    { refused: { long: 'x'.repeat(501) } },
    { refused: { ['k'.repeat(41)]: 1 } },
    { refused: { '': 1 } },
    { refused: { nothing: null } },
    { refused: { list: [1] } },
    { refused: { inner: { a: 1 } } },
    { refused: ['a'] },
    { refused: 'text' },
  ])('is refused where it is more than fifty plain values (%#)', async ({ refused }) =>
    expect(await refusal({ metadata: refused })).toMatch(/^metadata/),
  );
});

describe('GET /affiliates', () => {
  it('returns one affiliate by id, by email and by the slug of a link, case-insensitively', async () => {
    const slug = `Slug-${randomUUID()}`;
    const made = await makeAffiliate(api, { affiliateLink: slug });
    for (const selector of [
      `id=${made.id}`,
      `email=${made.email}`,
      `email=${made.email.toUpperCase()}`,
      `id=${slug}`,
      `id=${slug.toLowerCase()}`,
    ])
      expect((await api.get(`/affiliates?${selector}`)).body, selector).toEqual(made);
  });

  it.each([`id=${randomUUID()}`, 'id=nobody', 'email=nobody@example.com'])('returns 404 for %s', async (selector) => {
    const { status, body } = await api.get(`/affiliates?${selector}`);
    expect({ status, body }).toEqual({ status: 404, body: { error: 'Affiliate not found' } });
  });

  it('refuses two selectors', async () => {
    const { status, body } = await api.get(`/affiliates?id=${randomUUID()}&email=a@example.com`);
    expect(status).toBe(400);
    expect(body.error).toBe('id and email both name a record: give one of them');
  });

  describe('with filters', () => {
    let filtered: Api;
    const namesOf = async (query: string): Promise<string[]> => {
      const { status, body } = await filtered.get(`/affiliates?${query}`);
      expect(status).toBe(200);
      return body.map(({ name }: { name: string }) => name);
    };
    beforeAll(async () => {
      filtered = await makeProgram();
      await makeAffiliate(filtered, { firstName: 'Anna', lastName: 'Berg', email: 'zeta@example.com' });
      await makeAffiliate(filtered, { firstName: 'Annika', lastName: 'Dahl', email: 'annika@example.com' });
      await makeAffiliate(filtered, { firstName: 'Bo', lastName: 'Annan', email: 'bo@example.com' });
      await makeAffiliate(filtered, { firstName: 'Carl', lastName: 'Ek', email: 'ann@example.com' });
      await makeAffiliate(filtered, {
        firstName: 'Åsa',
        lastName: 'Ek',
        email: 'ek@example.com',
        affiliateStatus: 'inactive',
      });
    });

    it('lists those with a status', async () => {
      expect(await namesOf('status=INACTIVE')).toEqual(['Åsa Ek']);
      expect(await namesOf('status=ACTIVE')).toEqual(['Carl Ek', 'Bo Annan', 'Annika Dahl', 'Anna Berg']);
      expect(await namesOf('status=BANNED')).toEqual([]);
    });

    it.each([
      ['ann', ['Carl Ek', 'Anna Berg', 'Bo Annan', 'Annika Dahl']],
      ['ANNA', ['Anna Berg', 'Bo Annan']],
      ['berg anna', ['Anna Berg']],
      ['åsa', ['Åsa Ek']],
      ['ASA', ['Åsa Ek']],
      ['zeta@', ['Anna Berg']],
      ['annan', ['Bo Annan']],
      ['nna', []],
      ['%', []],
    ])('finds those with words of name or email that begin with "%s"', async (search, names) =>
      expect(await namesOf(`search=${encodeURIComponent(search)}`)).toEqual(names),
    );

    it('joins search and status', async () => {
      expect(await namesOf('search=ann&status=INACTIVE')).toEqual([]);
      expect(await namesOf(`search=${encodeURIComponent('Å')}&status=INACTIVE`)).toEqual(['Åsa Ek']);
    });

    it.each([1, 2, 3])('leads through a search in pages of %i', async (limit) => {
      const found: string[] = [];
      for (let address: string | undefined = `/affiliates?search=ann&limit=${limit}`; address; ) {
        const { body, headers } = await filtered.get(address);
        found.push(...body.map(({ name }: { name: string }) => name));
        address = /<(.+)>/.exec(headers.get('link') ?? '')?.[1];
      }
      expect(found).toEqual(['Carl Ek', 'Anna Berg', 'Bo Annan', 'Annika Dahl']);
    });

    it('refuses a status or search that cannot be', async () => {
      expect((await filtered.get('/affiliates?status=gone')).body.error).toBe(
        'status must be one of ACTIVE, INACTIVE, BANNED',
      );
      expect((await filtered.get('/affiliates?search=')).body.error).toBe('search must not be empty');
    });
  });
});
