import { describe, expect, inject, it } from 'vitest';
import { verifyWebhook } from '../../shared/client/webhooks.ts';
import { type Api, makeAffiliate, makeCoupon, makeProgram } from '../support/program.ts';
import { api, folder, json, receiver, run, spawned, useCommandLine } from './command-line.ts';

useCommandLine();

/** What `secret` prints, on standard output alone. */
const secretOfMachine = async (): Promise<string> => {
  const { output, problems } = await run(['secret'], { given: {} });
  expect({ output, problems }).toEqual({ output: expect.stringMatching(/^whsec_[\w+/]{43}=\n$/), problems: '' });
  return output.trim();
};

describe('listen', () => {
  /** Listens, and once it does until `during` is done; returns all that it said. */
  const listening = async (
    { apiKey }: Api,
    args: readonly string[],
    during: () => Promise<unknown>,
  ): Promise<string> => {
    const given = { AFFILIATE_PROGRAM_URL: inject('baseUrl'), AFFILIATE_PROGRAM_KEY: apiKey };
    const child = spawned(['listen', '--forward-to', receiver.url('/listen'), ...args], folder, given);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += text;
      });
    try {
      await expect.poll(() => said).toContain('Position');
      await during();
      return said;
    } finally {
      child.kill();
    }
  };

  it('forwards what happens, signed with the secret of this machine, and goes on from a position', async () => {
    const receivedIds = () => receiver.at('/listen').map(({ event }) => event.data.id);
    // Of no other test, whose events may come late.
    const own = await makeProgram();
    const ids: string[] = [];
    const makeOne = async (name: string) => {
      ids.push((await makeCoupon(own, { name })).id);
      await receiver.waitFor('/listen', ids.length);
    };
    const first = await listening(own, ['--type', 'coupon.created'], async () => {
      await makeAffiliate(own);
      await makeOne('First');
    });
    const secret = await secretOfMachine();
    expect(first).not.toContain(secret);
    const [, position = ''] = /Position: (\S+)/.exec(first) ?? [];
    const [received] = receiver.at('/listen');
    if (!received) throw new Error('Nothing was forwarded');
    expect(verifyWebhook(received.body, received.headers, secret)).toEqual(received.event);
    expect(received.event).toEqual({
      id: expect.any(String),
      type: 'coupon.created',
      timestamp: expect.any(String),
      actor: { type: 'API_KEY', id: expect.any(String) },
      data: expect.objectContaining({ id: ids[0], name: 'First' }),
    });
    ids.push((await makeCoupon(own, { name: 'While nobody listens' })).id);
    // From where the first run began, so the first coupon comes once more.
    const later = ['--type', 'coupon.created', '--after', position];
    await listening(own, later, () => receiver.waitFor('/listen', 3));
    expect(receivedIds()).toEqual([ids[0], ids[0], ids[1]]);
  });

  it('a position that is none ends it with a sentence', async () => {
    const outcome = await run(['listen', '--forward-to', receiver.url('/none'), '--after', 'yesterday']);
    expect(outcome).toMatchObject({ code: 1, problems: expect.stringContaining('after=start or after=now') });
  });
});

describe('trigger', () => {
  it('sends an example to an address of this machine, signed with the secret of this machine', async () => {
    const args = ['trigger', 'sale.refunded', '--forward-to', receiver.url('/trigger')];
    const { code, output, problems } = await run(args, { given: {} });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^sale\.refunded \S+ -> 204\n$/) });
    const secret = await secretOfMachine();
    expect(problems).not.toContain(secret);
    const [received] = receiver.at('/trigger');
    if (!received) throw new Error('Nothing was sent');
    const event = verifyWebhook(received.body, received.headers, secret);
    expect(event).toMatchObject({ type: 'sale.refunded', data: { status: 'PARTIALLY_REFUNDED' } });
    const again = await run(args, { given: {} });
    expect(again.problems).toBe(problems);
  });

  it('has the service send a test to an endpoint', async () => {
    const { id } = (await api.post('/webhooks', { url: receiver.url('/endpoint') })).body;
    const delivery = await json(['trigger', 'coupon.created', '--webhook-id', id]);
    expect(delivery).toMatchObject({ webhookId: id, status: 'PENDING' });
    const [received] = await receiver.waitFor('/endpoint', 1);
    expect(received?.event).toMatchObject({ type: 'webhook.test', data: { example: { type: 'coupon.created' } } });
  });

  it.each([
    [['trigger', 'sale.exploded', '--forward-to', 'http://127.0.0.1:1/'], 'There is no event sale.exploded'],
    [['trigger', 'sale.created'], 'Give --webhook-id or --forward-to'],
  ])('%j is refused with a sentence', async (args, sentence) => {
    expect(await run(args)).toMatchObject({ code: 1, output: '', problems: expect.stringContaining(sentence) });
  });

  it('an address where nothing listens is an error', async () => {
    const outcome = await run(['trigger', 'sale.created', '--forward-to', 'http://127.0.0.1:1/']);
    expect(outcome).toMatchObject({ code: 1, output: expect.stringContaining('not sent') });
  });
});
