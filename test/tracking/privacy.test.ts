import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { expect, inject, it } from 'vitest';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { appUrl } from '../support/browser.ts';
import { eventually } from '../support/events.ts';
import { makeAffiliate, makeProgram } from '../support/program.ts';

// docs/behavior.md#visitors

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';

const everythingIn = async (table: 'records' | 'traffic'): Promise<string> => {
  const parts: string[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page: ScanCommandOutput = await documents.send(
      new ScanCommand({ TableName: deployedName(table), ...(from && { ExclusiveStartKey: from }) }),
    );
    parts.push(JSON.stringify(page.Items, (_, value) => (value instanceof Set ? [...value] : value)));
    from = page.LastEvaluatedKey;
  } while (from);
  return parts.join('\n');
};

/** An address that nobody else has: on Linux every one of 127.0.0.0/8 is this machine. */
const localAddress = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(2, 255)}`;

const statusFrom = (
  address: string,
  path: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string },
): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(appUrl());
    const sent = request({ hostname, port, path, method, headers, localAddress: address }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end(body);
  });

it.runIf(process.platform === 'linux')(
  'neither tables nor logs have the address, the user agent, the page or the query of a visitor who was counted',
  async () => {
    const api = await makeProgram({ baseUrls: ['https://shop.example/'] });
    const { affiliateLinks } = await makeAffiliate(api, { affiliateLink: 'seen' });
    const secret = `Visitor${randomInt(1_000_000_000)}`;
    const headers = { 'user-agent': `${chrome} ${secret}`, referer: `https://blog.example/${secret}?q=${secret}` };
    const followed = await statusFrom(localAddress, `/r/${api.programId}/seen?utm=${secret}`, {
      method: 'GET',
      headers,
    });
    expect(followed).toBe(302);
    const registered = await statusFrom(localAddress, '/track/clicks', {
      method: 'POST',
      headers: { ...headers, 'user-agent': `${chrome} other ${secret}` },
      body: JSON.stringify({
        programId: api.programId,
        link: 'seen',
        url: `https://shop.example/${secret}`,
        referrer: `https://blog.example/${secret}`,
      }),
    });
    expect(registered).toBe(200);
    const clicks = async () => (await api.get(`/links?id=${affiliateLinks[0].id}`)).body.clicks === 2 || undefined;
    await eventually('both are counted', clicks, 20_000);
    for (const table of ['records', 'traffic'] as const) {
      const text = await everythingIn(table);
      expect(text.includes(affiliateLinks[0].id), table).toBe(true);
      expect(text.includes(secret), table).toBe(false);
      expect(text.includes(localAddress), table).toBe(false);
    }
    const folder = inject('logFolder');
    const logs = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
    expect(logs.find(([name]) => name === 'redirect.log')?.[1]).toContain('/r/');
    const isTold = ([, text]: (typeof logs)[number]) => text.includes(secret) || text.includes(localAddress);
    expect(logs.filter(isTold).map(([name]) => name)).toEqual([]);
  },
);
