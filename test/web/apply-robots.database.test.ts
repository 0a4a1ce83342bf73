import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { applicationBounds } from '../../shared/contract/applications.ts';
import { bounds } from '../../shared/contract/bounds.ts';
import { affiliates } from '../../shared/domain/affiliates/repository.ts';
import { programs } from '../../shared/domain/programs/repository.ts';
import { updateApplicationForm } from '../../shared/domain/programs/update-application-form.ts';
import { updatePortal } from '../../shared/domain/programs/update-portal.ts';
import { person, questions, terms, testApplications, waitSeconds } from '../support/applications.ts';
import { costOf } from '../support/capacity.ts';
import { portalBrowser } from '../support/portal-pages.ts';
import { storeProgram } from '../support/webhooks.ts';

const { program, edit, openForm, post, applyAs, sent, receiveAll } = testApplications();

describe('a robot', () => {
  const nothingSent = async (attempt: ReturnType<typeof post>, status: number, text: string) => {
    const response = await attempt;
    expect([response.status, response.text.includes(text)]).toEqual([status, true]);
    expect(sent()).toEqual([]);
  };
  const expired = 'This form has expired';

  it.each([
    { name: 'no proof', proof: undefined },
    { name: 'an empty one', proof: '' },
    { name: 'one that is no JSON', proof: '{' },
    { name: 'a wrong one', proof: JSON.stringify({ counter: 1, derivedKey: '00'.repeat(32) }) },
  ])('that brings $name is refused, and gets a new form with what it entered', async ({ proof }) => {
    const { seal } = await openForm();
    waitSeconds(5);
    const attempt = post({ ...person(), seal, ...(proof !== undefined && { proof }) });
    await nothingSent(attempt, 400, 'could not show that you are a person');
    const { text } = await attempt;
    expect([text.includes('On my blog'), text.includes('data-proof='), text.includes(seal)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('cannot use the work of another form, of another program, or a form that was altered', async () => {
    const [one, other] = [await openForm(), await openForm()];
    const elsewhere = await storeProgram();
    await updateApplicationForm(elsewhere.id, { isOpen: true, questions, terms }, new Date());
    const ofAnother = await openForm((await programs.get(elsewhere.id, elsewhere.id)) ?? elsewhere);
    waitSeconds(5);
    await nothingSent(post({ ...person(), seal: one.seal, proof: other.proof }), 400, 'could not show');
    await nothingSent(post({ ...person(), ...ofAnother }), 400, expired);
    await nothingSent(post({ ...person(), ...one, seal: `${one.seal.slice(0, -2)}AA` }), 400, expired);
    await nothingSent(post({ ...person(), ...one, seal: 'x' }), 400, expired);
  });

  it('can use a form once, also many times at the same moment', async () => {
    const proof = await openForm();
    waitSeconds(5);
    const attempts = await Promise.all(Array.from({ length: 5 }, () => post({ ...person(), ...proof })));
    expect(attempts.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    expect(sent()).toHaveLength(1);
  });

  it('that is faster than a person, or keeps a form for hours, is refused', async () => {
    const proof = await openForm();
    waitSeconds(2);
    await nothingSent(post({ ...person(), ...proof }), 400, 'That was fast');
    waitSeconds(2 * 60 * 60);
    await nothingSent(post({ ...person(), ...proof }), 400, expired);
  });

  it('that fills in what people do not see is told that all is well, and sends nothing', async () => {
    await nothingSent(applyAs({ ...person(), website: 'https://spam.example' }), 200, 'Your application was sent');
  });

  it('from one source may send a sixth of the forms of an account, and costs no write beyond', async () => {
    vi.stubEnv('FORM_LIMIT', '12');
    expect([(await applyAs()).status, (await applyAs()).status]).toEqual([200, 200]);
    const proof = await openForm();
    waitSeconds(5);
    const beyond = await costOf(async () => expect((await post({ ...person(), ...proof })).status).toBe(429));
    expect(beyond.writeUnits).toBe(0);
  });

  it(`of a botnet sends at most ${bounds.applicationsOfProgramPerMinute} a minute to one program`, async () => {
    vi.setSystemTime(Math.ceil(Date.now() / 60_000) * 60_000);
    const proofs: Awaited<ReturnType<typeof openForm>>[] = [];
    for (let made = 0; made < bounds.applicationsOfProgramPerMinute + 2; made++) proofs.push(await openForm());
    waitSeconds(5);
    const statuses = await Promise.all(proofs.map(async (proof) => (await post({ ...person(), ...proof })).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(bounds.applicationsOfProgramPerMinute);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  });
});

describe('the form', () => {
  const refusal = async (changes: Record<string, string>): Promise<string> => {
    const { status, text } = await applyAs({ ...person(), ...changes });
    expect([status, sent()]).toEqual([400, []]);
    return text;
  };

  it.each([
    { name: 'an empty required field', changes: { 'entries.0': '' }, says: 'Is required' },
    { name: 'a choice that is none', changes: { 'entries.1': 'Other' }, says: 'Is none of the choices' },
    { name: 'terms that are not accepted', changes: { acceptsTerms: '' }, says: 'Must be ticked' },
    { name: 'an invalid address', changes: { email: 'a@b' }, says: 'Must be an email address' },
    { name: 'a header in a name', changes: { firstName: 'x\r\nBcc: y@example.com' }, says: 'control characters' },
    {
      name: 'a long text',
      changes: { 'entries.0': 'x'.repeat(applicationBounds.entryCharacters + 1) },
      says: 'at most',
    },
    { name: 'a field that it does not have', changes: { status: 'ACTIVE' }, says: 'is not a known field' },
    { name: 'the name of another record', changes: { affiliateId: randomUUID() }, says: 'is not a known field' },
  ])('refuses $name', async ({ changes, says }) => {
    expect((await refusal(changes as Record<string, string>)).toLowerCase()).toContain(says.toLowerCase());
  });

  it('takes a text that is as long as the browser lets it be, where a line break counts once', async () => {
    const [one, other] = ['x'.repeat(applicationBounds.entryCharacters - 3), 'y'];
    expect((await applyAs({ ...person(), 'entries.0': `${one}\r\n\r\n${other}` })).status).toBe(200);
    expect(sent()[0]?.entries[0]?.text).toBe(`${one}\n\n${other}`);
  });

  it('refuses texts that are too long together', async () => {
    const many = Array.from({ length: 10 }, (_, at) => ({
      question: `Question ${at}`,
      choices: [],
      isRequired: false,
    }));
    await edit({ questions: many });
    const long = Object.fromEntries(many.map((_, at) => [`entries.${at}`, 'é'.repeat(500)]));
    expect(await refusal(long)).toContain('too long together');
  });

  it('that the program changed meanwhile is shown anew, with the questions and terms of now', async () => {
    for (const changes of [{ terms: 'Other terms' }, { questions: questions.slice(0, 1) }]) {
      await edit();
      const proof = await openForm();
      await edit(changes);
      waitSeconds(5);
      const { status, text } = await post({ ...person(), ...proof });
      expect([status, text.includes('The program has changed this form')]).toEqual([400, true]);
    }
    expect(sent()).toEqual([]);
  });

  it('is not there, nor taken, while it is off, was never made, or the portal is off', async () => {
    const proof = await openForm();
    waitSeconds(5);
    const both = async (of = program()) => [
      (await portalBrowser(of).visit('/apply')).status,
      (await post({ ...person(), ...proof }, of)).status,
    ];
    expect(await both(await storeProgram())).toEqual([404, 404]);
    await edit({ isOpen: false });
    expect(await both()).toEqual([404, 404]);
    await edit();
    await updatePortal(program().id, { portalIsOn: false, logoUrl: null, embeddingOrigins: [] }, new Date());
    expect(await both()).toEqual([404, 404]);
    expect(sent()).toEqual([]);
  });

  it('that was switched off since it was sent receives nothing', async () => {
    await applyAs();
    await edit({ isOpen: false });
    await receiveAll();
    expect((await affiliates.page(program().id, { limit: 10 })).items).toEqual([]);
  });

  it('says to a browser without scripts that it needs them', async () => {
    const { text } = await portalBrowser(program()).visit('/apply');
    expect(/<noscript>(.*?)<\/noscript>/s.exec(text)?.[1]).toContain('This form needs JavaScript');
  });

  it('is linked from the sign-in page while it is on', async () => {
    expect((await portalBrowser(program()).visit('')).text).toContain('/apply"');
    await edit({ isOpen: false });
    expect((await portalBrowser(program()).visit('')).text).not.toContain('/apply"');
  });

  it('counts versions of its terms, also where they were removed for a while', async () => {
    const versions = [];
    for (const text of [terms, terms, 'Others', null, 'Others', 'Third']) {
      await edit({ terms: text });
      versions.push(program().applicationForm?.termsVersion);
    }
    expect(versions).toEqual([1, 1, 2, 2, 3, 4]);
  });

  it('has the same terms where an earlier version has stored their line breaks as browsers send them', async () => {
    await edit({ terms: 'Be honest.\r\nSay that you earn.\r\n\r\nThat is all.' });
    const { termsVersion, termsChangedAt } = program().applicationForm ?? {};
    waitSeconds(5);
    await edit({ terms: 'Be honest.\nSay that you earn.\n\nThat is all.' });
    expect(program().applicationForm).toMatchObject({ termsVersion, termsChangedAt });
    await edit({ terms: 'Be honest.\nSay that you earn.\nThat is all.' });
    expect(program().applicationForm?.termsVersion).toBe(Number(termsVersion) + 1);
  });
});
