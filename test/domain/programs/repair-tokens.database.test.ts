import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tokenKey } from '../../../shared/domain/access/token.ts';
import { putAccount } from '../../../shared/domain/programs/accounts.ts';
import { createApiKey, deleteApiKey } from '../../../shared/domain/programs/api-keys.ts';
import { createProgram, deleteProgram } from '../../../shared/domain/programs/programs.ts';
import { repairTokens } from '../../../shared/domain/programs/repair-tokens.ts';
import { allApiKeys, getProgram } from '../../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../../shared/domain/programs/update-program.ts';
import { deleteItem, getItem, updateItem } from '../../../shared/platform/table/items.ts';
import { now } from '../../support/domain.ts';
import { interrupted } from '../../support/interrupted.ts';

const begin = async () => {
  const ownerEmail = `owner-${randomUUID()}@example.com`;
  const { programId } = await createProgram({ name: 'Shop', ownerEmail, currency: 'EUR', commissionRate: 12 }, now);
  await createApiKey(programId, 'Second', now);
  return { programId, ownerEmail };
};
const hashesOf = async (programId: string) => (await allApiKeys(programId)).map(({ tokenHash }) => tokenHash);
const tokensOf = async (programId: string) =>
  Promise.all((await hashesOf(programId)).map((hash) => getItem('traffic', tokenKey(hash))));

/** As a change that was interrupted leaves it; without a value, as a version that did not know the field. */
const leaveBehind = async (programId: string, field: string, value: unknown) => {
  const [hash = ''] = await hashesOf(programId);
  await updateItem('traffic', tokenKey(hash), {
    UpdateExpression: value === undefined ? 'REMOVE #field' : 'SET #field = :value',
    ExpressionAttributeNames: { '#field': field },
    ...(value !== undefined && { ExpressionAttributeValues: { ':value': value } }),
  });
};

describe('the repair of tokens', () => {
  it.each([
    ['plan', 'FREE'],
    ['currency', 'USD'],
    ['commissionRate', 20],
    ['timeZone', 'Asia/Tokyo'],
    ['timeZone', undefined],
  ])('corrects a %s that is %s, and nothing else', async (field, value) => {
    const { programId } = await begin();
    const before = await tokensOf(programId);
    await leaveBehind(programId, field, value);
    expect(await tokensOf(programId)).not.toEqual(before);
    await repairTokens(programId);
    expect(await tokensOf(programId)).toEqual(before);
  });

  it('changes nothing where all is well, and nothing when it runs twice', async () => {
    const { programId } = await begin();
    const before = [await tokensOf(programId), await getProgram(programId)];
    await repairTokens(programId);
    await repairTokens(programId);
    expect([await tokensOf(programId), await getProgram(programId)]).toEqual(before);
  });

  it('gives program and tokens the plan of the account, where that alone was set', async () => {
    const { programId, ownerEmail } = await begin();
    await putAccount({ email: ownerEmail, plan: 'FREE' });
    await repairTokens(programId);
    expect((await getProgram(programId)).plan).toBe('FREE');
    expect(await tokensOf(programId)).toMatchObject([{ plan: 'FREE' }, { plan: 'FREE' }]);
  });

  it('ends with the values of a change that overtakes it', async () => {
    const { programId } = await begin();
    await leaveBehind(programId, 'commissionRate', 20);
    const program = await getProgram(programId);
    await interrupted(
      () => repairTokens(programId),
      () => updateProgram(programId, { ...program, commissionRate: 30 }, now),
    );
    expect(await tokensOf(programId)).toMatchObject([{ commissionRate: 30 }, { commissionRate: 30 }]);
  });

  it('makes no token of a key that is deleted meanwhile, and none that was lost', async () => {
    const { programId } = await begin();
    const [first, second] = await allApiKeys(programId);
    await leaveBehind(programId, 'plan', 'FREE');
    await interrupted(
      () => repairTokens(programId),
      () => deleteApiKey(programId, first?.id ?? '', now),
    );
    expect(await getItem('traffic', tokenKey(first?.tokenHash ?? ''))).toBeUndefined();
    await deleteItem('traffic', tokenKey(second?.tokenHash ?? ''));
    await repairTokens(programId);
    expect(await tokensOf(programId)).toEqual([undefined]);
  });

  it('leaves the tokens of a deleted program alone', async () => {
    const { programId } = await begin();
    await deleteProgram(programId);
    const before = await tokensOf(programId);
    await repairTokens(programId);
    expect(await tokensOf(programId)).toEqual(before);
  });
});
