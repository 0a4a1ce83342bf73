import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { expect, inject, it } from 'vitest';
import { deployedName, documents } from '../../shared/platform/table/client.ts';
import { appUrl } from '../support/browser.ts';
import { eventually } from '../support/events.ts';
import { sendRequest } from '../support/http.ts';
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

it('neither tables nor logs have the user agent, the page or the query of a visitor who was counted', async () => {
  const api = await makeProgram({ baseUrls: ['https://shop.example/'] });
  const { affiliateLinks } = await makeAffiliate(api, { affiliateLink: 'seen' });
  const secret = `Visitor${randomInt(1_000_000_000)}`;
  const headers = { 'user-agent': `${chrome} ${secret}`, referer: `https://blog.example/${secret}?q=${secret}` };
  const followed = await sendRequest(`${appUrl()}/r/${api.programId}/seen?utm=${secret}`, { method: 'GET', headers });
  expect(followed.status).toBe(302);
  const registered = await sendRequest(`${appUrl()}/track/clicks`, {
    method: 'POST',
    headers: { ...headers, 'user-agent': `${chrome} other ${secret}` },
    body: JSON.stringify({
      programId: api.programId,
      link: 'seen',
      url: `https://shop.example/${secret}`,
      referrer: `https://blog.example/${secret}`,
    }),
  });
  expect(registered.status).toBe(200);
  const clicks = async () => (await api.get(`/links?id=${affiliateLinks[0].id}`)).body.clicks === 2 || undefined;
  await eventually('both are counted', clicks, 20_000);
  for (const table of ['records', 'traffic'] as const) {
    const text = await everythingIn(table);
    expect(text.includes(affiliateLinks[0].id), table).toBe(true);
    expect(text.includes(secret), table).toBe(false);
  }
  const folder = inject('logFolder');
  const logs = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
  expect(logs.find(([name]) => name === 'redirect.log')?.[1]).toContain('/r/');
  expect(logs.filter(([, text]) => text.includes(secret)).map(([name]) => name)).toEqual([]);
});
