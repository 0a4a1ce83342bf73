import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostingRules, post } from '../../shared/webhooks/delivery/send.ts';
import { extraHosts } from '../../shared/webhooks/endpoints/url-rules.ts';

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

const behaviours: Record<string, Behaviour> = {
  '/ok': (_, response) => void response.writeHead(201, { 'retry-after': '7' }).end('thanks'),
  '/empty': (_, response) => void response.writeHead(204).end(),
  '/failing': (_, response) => void response.writeHead(503, { 'retry-after': '120' }).end('later'),
  '/redirect': (_, response) => void response.writeHead(302, { location: '/ok' }).end(),
  '/redirect-inside': (_, response) => void response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
  '/large': (_, response) => void response.writeHead(200).end('x'.repeat(5_000_000)),
  '/endless': async (_, response) => {
    response.writeHead(200);
    while (!response.destroyed) {
      response.write('y'.repeat(1000));
      await sleep(1);
    }
  },
  '/not-text': (_, response) => void response.writeHead(500).end(Buffer.alloc(30_000, 0xff)),
  '/exact': (_, response) => void response.writeHead(200).write('z'.repeat(20 * 1024)),
  '/split-character': (_, response) => void response.writeHead(200).end(`a${'é'.repeat(10 * 1024)}`),
  '/damaged': (_, response) => {
    const letters = Buffer.alloc(10_000, 'b');
    response.writeHead(200).end(Buffer.concat([letters, Buffer.from([0xff]), letters, letters]));
  },
  '/damaged-end': (_, response) => void response.writeHead(200).end(Buffer.from([0x61, 0xff])),
  '/drip': async (_, response) => {
    response.writeHead(200);
    while (!response.destroyed) {
      response.write('.');
      await sleep(20);
    }
  },
  '/drip-headers': async ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let line = 0; !socket.destroyed; line++) {
      socket.write(`x-${line}: 1\r\n`);
      await sleep(20);
    }
  },
  '/hang': () => {},
  '/hang-up': ({ socket }) => void socket.destroy(),
  '/cut-short': async (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    await sleep(20);
    response.destroy();
  },
  '/no-http': ({ socket }) => void socket.end('SSH-2.0-OpenSSH\r\n'),
};

let received: { path: string; method: string; headers: IncomingMessage['headers']; body: string }[] = [];
const server = createServer(async (request, response) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { url = '', method = '', headers } = request;
  received.push({ path: url, method, headers, body: Buffer.concat(chunks).toString() });
  behaviours[url]?.(request, response);
});

let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  origin = `http://localhost:${port}`;
});
beforeEach(() => {
  received = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const rules: PostingRules = { extraHosts: extraHosts('localhost,127.0.0.1'), deadlineMilliseconds: 10_000 };
/** Where the deadline is what is tested: a busy machine may need as long for any of the other requests. */
const hurried: PostingRules = { ...rules, deadlineMilliseconds: 300 };
const posting = (path: string) => ({ url: `${origin}${path}`, headers: { 'x-mark': 'one' }, body: '{"name":"Zoë"}' });
const postTo = (path: string) => post(posting(path), rules);

describe('one POST', () => {
  it('sends the body as it is and returns what came back', async () => {
    await expect(postTo('/ok')).resolves.toEqual({ status: 201, body: 'thanks', retryAfter: '7', error: null });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ path: '/ok', method: 'POST', body: '{"name":"Zoë"}' });
    expect(received[0]?.headers).toMatchObject({ 'x-mark': 'one', 'content-length': '15' });
    await expect(postTo('/empty')).resolves.toMatchObject({ status: 204, body: '', error: null });
  });

  it('returns an error status with its body and Retry-After', async () => {
    await expect(postTo('/failing')).resolves.toEqual({ status: 503, body: 'later', retryAfter: '120', error: null });
  });

  it('follows no redirect', async () => {
    await expect(postTo('/redirect')).resolves.toMatchObject({ status: 302 });
    await expect(postTo('/redirect-inside')).resolves.toMatchObject({ status: 307 });
    expect(received.map(({ path }) => path)).toEqual(['/redirect', '/redirect-inside']);
  });

  it.each(['/large', '/endless'])('cuts a response that is too large at 20 KB: %s', async (path) => {
    const posted = await postTo(path);
    expect(posted).toMatchObject({ status: 200, error: null });
    expect(posted.body).toHaveLength(20 * 1024);
  });

  it('waits for no more than 20 KB', async () => {
    const posted = await post(posting('/exact'), { ...rules, deadlineMilliseconds: 3000 });
    expect(posted).toMatchObject({ status: 200, body: 'z'.repeat(20 * 1024), error: null });
  });

  it('cuts no character in two, and keeps what is damaged elsewhere', async () => {
    expect((await postTo('/split-character')).body).toBe(`a${'é'.repeat(10 * 1024 - 1)}`);
    const { body } = await postTo('/damaged');
    expect(body?.slice(9999, 10_002)).toBe('b\uFFFDb');
    expect(Buffer.byteLength(body ?? '')).toBe(20 * 1024);
    expect((await postTo('/damaged-end')).body).toBe('a\uFFFD');
  });

  it('keeps at most 20 KB of a response that is no text', async () => {
    const posted = await postTo('/not-text');
    expect(posted.status).toBe(500);
    expect(Buffer.byteLength(posted.body ?? '')).toBeLessThanOrEqual(20 * 1024);
  });

  it.each(['/hang', '/drip', '/drip-headers'])(
    'gives up at the deadline for all of it, whatever drips in until then: %s',
    async (path) => {
      const startedAt = performance.now();
      const posted = await post(posting(path), hurried);
      expect(posted.error).toBe('no complete response within 0.3 seconds');
      expect(performance.now() - startedAt).toBeLessThan(2000);
    },
  );

  it.each(['/hang-up', '/cut-short', '/no-http'])('returns why %s failed', async (path) => {
    const posted = await postTo(path);
    expect(posted.error).toMatch(/\w/);
    expect(posted.error).not.toMatch(/within/);
  });

  it('returns why nobody was reached', async () => {
    const posted = await post({ ...posting('/ok'), url: 'http://127.0.0.1:1/' }, rules);
    expect(posted).toMatchObject({ status: null, body: null });
    expect(posted.error).toContain('ECONNREFUSED');
  });
});

describe('the address that is dialled', () => {
  const strict: PostingRules = { ...rules, extraHosts: extraHosts('') };

  it('is never a private one that a URL names, for which nothing is looked up', async () => {
    const url = origin.replace('http://localhost', 'https://127.0.0.1').replace(/\d+$/, '8443');
    await expect(post({ ...posting(''), url }, strict)).resolves.toMatchObject({
      status: null,
      error: 'the address must be a public address',
    });
  });

  it('is never a private one that a name leads to', async () => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const url = 'https://rebinding.example.com/';
    await expect(post({ ...posting(''), url }, { ...strict, resolve })).resolves.toMatchObject({
      status: null,
      error: 'the host has an address that is not public',
    });
    expect(received).toEqual([]);
  });

  /** Sends to a name that leads to these addresses, the first list at the first look-up, and so on. */
  const sendToName = (...responses: string[][]) => {
    let lookUps = 0;
    // A listed host, so that loopback may stand for a good address here and 10.0.0.1 for a bad one.
    const resolve = async () => (responses[lookUps++] ?? []).map((address) => ({ address, family: 4 }));
    const listed = { ...rules, extraHosts: extraHosts('name.example.com'), resolve };
    const url = `${origin.replace('localhost', 'name.example.com')}/ok`;
    return { send: () => post({ ...posting(''), url }, listed), lookUps: () => lookUps };
  };
  const refused = { status: null, error: 'the host has an address that is not public' };

  it('is none of a name that leads to a good and a bad one', async () => {
    for (const addresses of [
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
    ]) {
      const { send } = sendToName(addresses);
      await expect(send()).resolves.toMatchObject(refused);
    }
    expect(received).toEqual([]);
  });

  it('is the one that was checked: a name that leads elsewhere at the next look-up is looked up once', async () => {
    const { send, lookUps } = sendToName(['127.0.0.1'], ['10.0.0.1']);
    await expect(send()).resolves.toMatchObject({ status: 201 });
    expect(lookUps()).toBe(1);
    await expect(send()).resolves.toMatchObject(refused);
    expect(received).toHaveLength(1);
  });

  it('is not waited for beyond the deadline, which the look-up and the response share', async () => {
    const resolve = async () => {
      await sleep(1200);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const listed = { ...rules, deadlineMilliseconds: 1500, extraHosts: extraHosts('name.example.com'), resolve };
    const url = `${origin.replace('localhost', 'name.example.com')}/hang`;
    const start = performance.now();
    await expect(post({ ...posting(''), url }, listed)).resolves.toMatchObject({
      error: 'no complete response within 1.5 seconds',
    });
    expect(performance.now() - start).toBeLessThan(2600);
  });

  it('is none where its name cannot be resolved, and the attempt says so in 500 characters', async () => {
    const url = 'https://slow-names.example.com/';
    const errorOf = async (reason: unknown) => {
      const resolve = () => Promise.reject(reason);
      return (await post({ ...posting(''), url }, { ...strict, resolve })).error;
    };
    expect(await errorOf(new Error('x'.repeat(501)))).toBe('x'.repeat(500));
    expect(await errorOf(new RangeError(''))).toBe('RangeError');
    expect(await errorOf(new AggregateError([new Error('first'), new Error('second')]))).toBe('first');
  });

  it('is none where its name cannot be resolved, and the attempt says so', async () => {
    const resolve = () => Promise.reject(new Error('queryA ESERVFAIL slow-names.example.com'));
    const url = 'https://slow-names.example.com/';
    await expect(post({ ...posting(''), url }, { ...strict, resolve })).resolves.toMatchObject({
      status: null,
      error: 'queryA ESERVFAIL slow-names.example.com',
    });
  });

  it('is not waited for beyond the deadline where its name is never resolved', async () => {
    const resolve = () => new Promise<never>(() => {});
    const url = 'https://slow-names.example.com/';
    await expect(
      post({ ...posting(''), url }, { ...hurried, extraHosts: extraHosts(''), resolve }),
    ).resolves.toMatchObject({
      error: 'no complete response within 0.3 seconds',
    });
  });
});
