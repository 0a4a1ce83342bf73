import { once } from 'node:events';
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { operations } from '../../shared/contract/operations.ts';
import { api, couponId, folder, json, run, useCommandLine } from './command-line.ts';

useCommandLine();

describe('login', () => {
  it('keeps address and key where only the user can read them, and commands use them until logout', async () => {
    const stored = join(folder, 'user');
    const baseUrl = inject('baseUrl');
    const asked = await run(['login', '--url', baseUrl], { stored, given: {}, input: `${api.apiKey}\n` });
    expect(asked).toMatchObject({ code: 0, output: expect.stringContaining('Test program') });
    expect(asked.output + asked.problems).not.toContain(api.apiKey);
    const file = join(stored, 'affiliate-program/settings.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ baseUrl, apiKey: api.apiKey });
    expect(await json(['program', 'get'], { stored, given: {} })).toMatchObject({ id: api.programId });
    await run(['logout'], { stored, given: {} });
    expect(await run(['program', 'get'], { stored, given: {} })).toMatchObject({
      code: 1,
      problems: 'Error: Run "affiliate-program login", or set AFFILIATE_PROGRAM_URL and AFFILIATE_PROGRAM_KEY\n',
    });
  });

  it('keeps nothing when the key is wrong, and makes a readable file private', async () => {
    const stored = join(folder, 'other');
    const wrong = await run(['login', '--url', inject('baseUrl'), '--key', 'wrong'], { stored, given: {} });
    expect(wrong).toMatchObject({ code: 1, output: '', problems: expect.stringContaining('401, unauthorized') });
    await expect(stat(join(stored, 'affiliate-program'))).rejects.toThrow('ENOENT');
    await run(['login', '--url', inject('baseUrl'), '--key', api.apiKey], { stored, given: {} });
    const file = join(stored, 'affiliate-program/settings.json');
    await rm(file);
    await writeFile(file, '{}', { mode: 0o644 });
    await run(['login', '--url', inject('baseUrl'), '--key', api.apiKey], { stored, given: {} });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

describe('a kept key', () => {
  const keep = async (name: string): Promise<string> => {
    const stored = join(folder, name);
    await mkdir(join(stored, 'affiliate-program'), { recursive: true });
    return stored;
  };
  const listenTo = async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      seen.push(headers.authorization);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port');
    return { seen, url: `http://127.0.0.1:${address.port}/api/v1`, stop: () => server.close() };
  };

  it('is sent to the address that it was kept for, and to no other', async () => {
    const stored = await keep('bound');
    const baseUrl = inject('baseUrl');
    await run(['login', '--url', baseUrl, '--key', api.apiKey], { stored, given: {} });
    const same = { AFFILIATE_PROGRAM_URL: `${baseUrl.replace('http://', 'HTTP://')}/` };
    expect(await json(['program', 'get'], { stored, given: same })).toMatchObject({ id: api.programId });
    const other = await listenTo();
    const refused = await run(['program', 'get'], { stored, given: { AFFILIATE_PROGRAM_URL: other.url } });
    expect(refused).toMatchObject({ code: 1, problems: expect.stringContaining(`The kept key is for ${baseUrl}`) });
    expect(other.seen).toEqual([]);
    await run(['program', 'get'], { stored, given: { AFFILIATE_PROGRAM_URL: other.url, AFFILIATE_PROGRAM_KEY: 'k' } });
    expect(other.seen).toEqual(['Bearer k']);
    other.stop();
  });

  it('of the environment is not sent to the address of an option', async () => {
    const stored = await keep('option');
    const other = await listenTo();
    const given = { AFFILIATE_PROGRAM_URL: inject('baseUrl'), AFFILIATE_PROGRAM_KEY: api.apiKey };
    const asked = await run(['login', '--url', other.url], { stored, given, input: 'typed\n' });
    expect(asked.problems).toContain('API key: ');
    expect(other.seen).toEqual(['Bearer typed']);
    other.stop();
  });

  it('is neither read nor written through a link', async () => {
    const stored = await keep('linked');
    const elsewhere = join(stored, 'elsewhere.json');
    const kept = JSON.stringify({ baseUrl: inject('baseUrl'), apiKey: api.apiKey });
    await writeFile(elsewhere, kept, { mode: 0o644 });
    await symlink(elsewhere, join(stored, 'affiliate-program/settings.json'));
    for (const args of [['program', 'get'], ['login', '--url', inject('baseUrl'), '--key', api.apiKey], ['secret']])
      expect(await run(args, { stored, given: {} }), args.join(' ')).toMatchObject({
        code: 1,
        problems: expect.stringContaining('is a symbolic link. Delete it and log in again'),
      });
    expect(await readFile(elsewhere, 'utf8')).toBe(kept);
    await run(['logout'], { stored, given: {} });
    expect(await readFile(elsewhere, 'utf8')).toBe(kept);
    expect((await run(['login', '--url', inject('baseUrl'), '--key', api.apiKey], { stored, given: {} })).code).toBe(0);
  });
});

it.each(['', '/', '/programs'])('login finds the API at the address of the application and %j', async (path) => {
  const { origin } = new URL(inject('baseUrl'));
  const stored = join(folder, `found${path.length}`);
  const outcome = await run(['login', '--url', origin + path, '--key', api.apiKey], { stored, given: {} });
  expect(outcome).toMatchObject({ code: 0, problems: '' });
  const kept = JSON.parse(await readFile(join(stored, 'affiliate-program/settings.json'), 'utf8'));
  expect(kept.baseUrl).toBe(inject('baseUrl'));
});

it.each([
  ['http://127.0.0.1:1', 'There is no API at http://127.0.0.1:1/api/v1'],
  ['shop', 'shop is not an address'],
])('login at %s says that there is no API', async (url, sentence) => {
  const outcome = await run(['login', '--url', url, '--key', api.apiKey], { given: {} });
  expect(outcome).toMatchObject({ code: 1, output: '', problems: expect.stringContaining(sentence) });
});

it('login without an address is refused', async () => {
  const outcome = await run(['login'], { given: {} });
  expect(outcome).toMatchObject({ code: 1, problems: expect.stringContaining('Give --url') });
});

describe('operations', () => {
  it('options and data become one body, with numbers, booleans, lists and objects', async () => {
    const args = ['coupons', 'create', '--percent-off', '12.5', '--valid', 'false', '--product-ids', 'a', 'b'];
    const data = JSON.stringify({ name: 'From data', metadata: { channel: 'mail' } });
    const made = await json([...args, '--data', '-'], { input: data });
    expect(made).toMatchObject({
      name: 'From data',
      percentOff: 12.5,
      valid: false,
      productIds: ['a', 'b'],
      metadata: { channel: 'mail' },
    });
    const changed = await json(['coupons', 'update', made.id, '--valid', '--metadata', '{"channel":"shop"}']);
    expect(changed).toMatchObject({ valid: true, metadata: { channel: 'shop' } });
    expect(await json(['coupons', 'delete', made.id])).toMatchObject({ deletedCoupon: { id: made.id } });
  });

  it('an id of a sale is a number, and a record can have another unique name', async () => {
    await json(['promotional-codes', 'create', '--coupon-id', couponId, '--code', 'CLI-1']);
    const sale = await json([
      'sales',
      'create',
      '--total-earned',
      '10',
      '--promo-code',
      'CLI-1',
      '--email',
      'b@example.com',
    ]);
    expect(await json(['sales', 'refund', String(sale.id), '--amount', '4'])).toMatchObject({ refundedAmount: 4 });
    expect(await json(['promotional-codes', 'get', 'code:CLI-1'])).toMatchObject({ couponId });
    await json(['affiliates', 'create', '--email', 'cli@example.com', '--first-name', 'Cli']);
    const update = ['affiliates', 'update', '--email-address', 'cli@example.com', '--last-name', 'Line'];
    expect(await json(update)).toMatchObject({ lastName: 'Line' });
  });

  it('a list prints a page and says how to go on; --all prints every record', async () => {
    for (const code of ['LIST-1', 'LIST-2', 'LIST-3']) await api.post('/promotional-codes', { couponId, code });
    const list = ['promotional-codes', 'list', '--coupon-id', couponId, '--limit', '2'];
    const first = await run(list);
    expect(JSON.parse(first.output).map(({ code }: { code: string }) => code)).toEqual(['LIST-3', 'LIST-2']);
    const [, cursor = ''] = /--cursor (\S+),/.exec(first.problems) ?? [];
    expect(await json([...list, '--cursor', cursor])).toMatchObject([{ code: 'LIST-1' }, {}]);
    const all = await run([...list, '--all']);
    expect(
      all.output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).code)
        .slice(0, 3),
    ).toEqual(['LIST-3', 'LIST-2', 'LIST-1']);
  });

  it('an Idempotency-Key and an ETag are sent', async () => {
    const create = ['coupons', 'create', '--name', 'Once', '--percent-off', '5', '--idempotency-key', 'cli-once'];
    const [one, other] = [await json(create), await json(create)];
    expect(other.id).toBe(one.id);
    const stale = await run(['coupons', 'update', one.id, '--name', 'Twice', '--if-match', '"0"']);
    expect(stale).toMatchObject({ code: 1, problems: expect.stringContaining('412, precondition_failed') });
  });

  it.each([
    [['coupons', 'create', '--percent-off', 'half'], 'Give a number'],
    [['coupons', 'create', '--valid', 'perhaps'], 'Give true or false'],
    [['coupons', 'create', '--metadata', '{'], 'Give JSON'],
    [['coupons', 'create', '--data', '[]'], 'takes a JSON object'],
    [['coupons', 'create', '--percent-of', '5'], "unknown option '--percent-of'"],
    [['coupons', 'get'], "missing required argument 'id'"],
    [['coupons', 'create', '--percent-off', '5'], 'name is required (400, bad_request, request '],
  ])('%j is refused with a sentence', async (args, sentence) => {
    expect(await run(args)).toMatchObject({ code: 1, output: '', problems: expect.stringContaining(sentence) });
  });

  it('the version is that of the package, and --help names the values of a choice', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect((await run(['--version'])).output).toBe(`${version}\n`);
    const { output } = await run(['coupons', 'create', '--help']);
    const help = output.replaceAll(/\s+/g, ' ');
    expect(help).toContain('One of: PERCENTAGE, FLAT.');
    expect(help).toContain('One of: once, forever, repeating.');
  });

  it('every operation is a command', async () => {
    const { output } = await run(['--help']);
    const commands = output.replaceAll(/,\s+/g, ',').matchAll(/^ {2}[a-z-]+ +([a-z-]+(?:,[a-z-]+)*)$/gm);
    expect([...commands].flatMap(([, names = '']) => names.split(','))).toHaveLength(operations.length);
  });
});
