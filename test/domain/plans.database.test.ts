import { expect, it } from 'vitest';
import { AccessToken, tokenKey } from '../../shared/domain/access/token.ts';
import { getAccount, type Plan } from '../../shared/domain/programs/accounts.ts';
import { createApiKey } from '../../shared/domain/programs/api-keys.ts';
import { connectorToken } from '../../shared/domain/programs/connection.ts';
import { setPlan } from '../../shared/domain/programs/programs.ts';
import { allApiKeys, programsOf } from '../../shared/domain/programs/repository.ts';
import { getItem } from '../../shared/platform/table/items.ts';
import { now } from '../support/domain.ts';
import { storeProgram } from '../support/webhooks.ts';

const rounds = [1, 2];

/** The plan that authentication knows for each key of a program, the connector token included. */
const plansOfKeys = async (programId: string): Promise<Plan[]> =>
  Promise.all(
    (await allApiKeys(programId)).map(
      async ({ tokenHash }) => AccessToken.parse(await getItem('traffic', tokenKey(tokenHash))).plan,
    ),
  );

const createKeys = (programId: string, count: number) =>
  Array.from({ length: count }, () => createApiKey(programId, 'Another', now));

it.each(rounds)('race %i: a plan that is set while keys are made holds for all of them', async () => {
  const { id: programId, ownerEmail } = await storeProgram();
  await Promise.all([
    ...createKeys(programId, 3),
    setPlan(ownerEmail, 'FREE'),
    ...createKeys(programId, 3),
    connectorToken(programId, 'platform.example', now),
  ]);
  expect(await plansOfKeys(programId)).toEqual(Array.from({ length: 8 }, () => 'FREE'));
});

it.each(rounds)('race %i: plans that are set at once leave every key with the one of the account', async () => {
  const { id: programId, ownerEmail } = await storeProgram();
  await Promise.all(createKeys(programId, 3));
  await Promise.all((['FREE', 'BUSINESS', 'FREE'] as const).map((plan) => setPlan(ownerEmail, plan)));
  const { plan } = (await getAccount(ownerEmail)) ?? {};
  expect(await plansOfKeys(programId)).toEqual(Array.from({ length: 4 }, () => plan));
  expect((await programsOf(ownerEmail)).map((program) => program.plan)).toEqual([plan]);
});
