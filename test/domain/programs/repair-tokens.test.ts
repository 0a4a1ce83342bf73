import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import * as z from 'zod';
import { hashOfToken, tokenKey } from '../../../shared/domain/access/token.ts';
import { putAccount } from '../../../shared/domain/programs/accounts.ts';
import { getProgram } from '../../../shared/domain/programs/repository.ts';
import { getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { eventually } from '../../support/events.ts';
import { makeProgram } from '../../support/program.ts';

// The worker as it is deployed, started by its schedule.

const { clockEndpoint } = z
  .object({ clockEndpoint: z.url() })
  .parse(JSON.parse(readFileSync(join(inject('dataFolder'), 'endpoints.json'), 'utf8')));

/** Lets a day pass for the schedules of the stack. */
const passADay = async () => {
  const { now } = z.object({ now: z.string() }).parse(await (await fetch(clockEndpoint)).json());
  const to = new Date(Date.parse(now) + 24 * 60 * 60 * 1000).toISOString();
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(clockEndpoint, { method: 'POST', headers, body: JSON.stringify({ to }) });
  return z
    .object({ runs: z.array(z.object({ name: z.string(), scheduledAt: z.string() })) })
    .parse(await response.json()).runs;
};

it('every night, keys are told what an interrupted change of settings did not tell them', async () => {
  const [first, second] = await Promise.all([makeProgram(), makeProgram()]);
  const tokenOf = (apiKey: string) => getItem('traffic', tokenKey(hashOfToken(apiKey)));
  const before = await tokenOf(first.apiKey);
  await updateItem('traffic', tokenKey(hashOfToken(first.apiKey)), {
    UpdateExpression: 'SET commissionRate = :old',
    ExpressionAttributeValues: { ':old': 99 },
  });
  await putAccount({ email: (await getProgram(second.programId)).ownerEmail, plan: 'FREE' });

  const runs = await passADay();
  expect(runs.filter(({ name }) => name.startsWith('RepairTokens'))).toEqual([
    { name: expect.any(String), scheduledAt: expect.stringMatching(/T03:20:00\.000Z$/) },
  ]);
  await eventually('the token has its rate again', async () => {
    return (await tokenOf(first.apiKey))?.commissionRate === before?.commissionRate;
  });
  await eventually('the program has the plan of its account', async () => {
    return (await getProgram(second.programId)).plan === 'FREE' && (await tokenOf(second.apiKey))?.plan === 'FREE';
  });
});
