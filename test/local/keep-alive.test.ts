import { request } from 'node:http';
import { expect, inject, it } from 'vitest';

const endpoints = Object.entries(inject('stackEnvironment')).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL_'));

const authorization = 'AWS4-HMAC-SHA256 Credential=local/20300101/us-east-1/any/aws4_request';

/** For how long a server says that it keeps a connection on which nothing comes; undefined if it does not say so. */
const secondsOf = async (endpoint: string): Promise<number | undefined> => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asked = request(
    endpoint,
    { method: 'POST', headers: { connection: 'keep-alive', authorization } },
    (response) => {
      response.resume();
      const [, seconds] = /timeout=(\d+)/.exec(String(response.headers['keep-alive'])) ?? [];
      resolve(seconds === undefined ? undefined : Number(seconds));
    },
  );
  asked.on('error', reject).end();
  return promise;
};

it('every server keeps a silent connection for over a minute, as long as a busy client may need for its next call', async () => {
  const told = await Promise.all(endpoints.map(([, endpoint]) => secondsOf(endpoint)));
  const seconds = told.filter((one) => one !== undefined);
  expect(seconds.length).toBeGreaterThan(2);
  for (const one of seconds) expect(one).toBeGreaterThan(60);
});
