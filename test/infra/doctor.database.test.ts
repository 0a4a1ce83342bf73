import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, it, vi } from 'vitest';
import { checkAccess } from '../../infra/admin/doctor/access.ts';
import { tokenKey } from '../../shared/domain/access/token.ts';
import { createProgram } from '../../shared/domain/programs/programs.ts';
import { allApiKeys } from '../../shared/domain/programs/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deleteItem, getItem } from '../../shared/platform/table/items.ts';
import { partition } from '../../shared/platform/table/partition.ts';
import { now } from '../support/domain.ts';
import { storeWebhook } from '../support/webhooks.ts';

afterEach(() => vi.restoreAllMocks());

const check = () => checkAccess({ outputs: {}, stackName: undefined });

/** Stubs the pages of a scan: the items of each, and whether it is the last one. @returns how many pages were read */
const scanReturns = (itemsOf: (page: number) => object[], isLast: boolean) => {
  vi.restoreAllMocks();
  const send = documents.send.bind(documents);
  let pages = 0;
  vi.spyOn(documents, 'send').mockImplementation((async (command: Parameters<typeof send>[0]) => {
    if (!(command instanceof ScanCommand)) return send(command);
    pages += 1;
    return { Items: itemsOf(pages), ...(!isLast && { LastEvaluatedKey: { pk: 'a', sk: 'b' } }) };
  }) as typeof documents.send);
  return () => pages;
};

const otherItems = (count: number): object[] => Array(count).fill({ pk: 'a', sk: 'b' });

it('API keys that have no token, or whose copy cannot be decrypted, are problems', async () => {
  const { programId } = await createProgram({ name: 'Shop', ownerEmail: 'doctor@example.com' }, now);
  const [key] = await allApiKeys(programId);
  const item = { pk: partition(programId, 'API_KEY'), sk: key?.id, ...key };
  scanReturns(() => [item], true);
  expect(await check()).toEqual([]);
  await deleteItem('traffic', tokenKey(key?.tokenHash ?? ''));
  scanReturns(() => [{ ...item, sk: 'another key' }], true);
  expect((await check()).map(({ level, text }) => `${level}: ${text}`)).toEqual([
    'problem: 1 of 1 API keys have no token: their requests return 401.',
    'problem: 1 of 1 copies of API keys cannot be decrypted: the secret key-copies was replaced.',
  ]);
});

it('webhook endpoints whose secret cannot be decrypted are a problem, with how many', async () => {
  const { programId } = await createProgram({ name: 'Shop', ownerEmail: 'endpoints@example.com' }, now);
  const [key] = await allApiKeys(programId);
  scanReturns(() => [{ pk: partition(programId, 'API_KEY'), sk: key?.id, ...key }], true);
  await storeWebhook(programId);
  expect(await check()).toEqual([]);
  await storeWebhook(programId, { sealedSecret: 'of.another.secret' });
  expect(await check()).toEqual([
    {
      level: 'problem',
      check: 'access',
      text: '1 of 2 secrets of webhook endpoints cannot be decrypted: the secret webhook-secrets was replaced. Their webhooks are not sent.',
      remedy: 'docs/runbook.md, section "Dead letters of deliver-webhook"',
    },
  ]);
});

it('programs that are not in the list of all programs are a problem, with how many', async () => {
  const { programId } = await createProgram({ name: 'Shop', ownerEmail: 'listed@example.com' }, now);
  const key = { pk: partition(programId, 'PROGRAM'), sk: programId };
  const item = await getItem('records', key);
  scanReturns(() => [item ?? {}], true);
  expect(await check()).toEqual([]);
  const { gsi1pk: _, ...older } = item ?? {};
  scanReturns(() => [older, older], true);
  expect(await check()).toMatchObject([
    {
      level: 'problem',
      text: '2 programs are not in the list of all programs: scheduled workers leave them out.',
      remedy: 'npm run admin -- program list-all',
    },
  ]);
});

it('a table whose first 5,000 items have no API key is a warning, and is not read further', async () => {
  const pages = scanReturns(() => otherItems(1000), false);
  expect(await check()).toMatchObject([
    { level: 'warning', text: expect.stringContaining('API keys were not checked') },
  ]);
  expect(pages()).toBe(5);
});

it('a sample of 20 API keys is enough, and one key among 5,000 items is checked', async () => {
  const { programId } = await createProgram({ name: 'Shop', ownerEmail: 'sample@example.com' }, now);
  const [key] = await allApiKeys(programId);
  const item = { pk: partition(programId, 'API_KEY'), sk: key?.id, ...key };
  scanReturns((page) => (page === 1 ? [item, ...otherItems(999)] : otherItems(1000)), false);
  expect(await check()).toEqual([]);
  scanReturns(() => [], true);
  expect(await check()).toEqual([]);
  const pages = scanReturns(() => Array.from({ length: 1000 }, (_, at) => ({ ...item, tokenHash: `${at}` })), false);
  expect(await check()).toMatchObject([{ text: '20 of 20 API keys have no token: their requests return 401.' }]);
  expect(pages()).toBe(1);
});
