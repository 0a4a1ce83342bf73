import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { hashOfToken, tokenKey } from '../../shared/domain/access/token.ts';
import { createApiKey, deleteApiKey } from '../../shared/domain/programs/api-keys.ts';
import { deleteProgram } from '../../shared/domain/programs/programs.ts';
import { rebuildTokensOf } from '../../shared/domain/programs/rebuild-tokens.ts';
import { allApiKeys } from '../../shared/domain/programs/repository.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { apiWith, makeProgram } from '../support/program.ts';
import { sharesInTheEnd } from '../support/shares-limit.ts';

const now = new Date();
const at = (tokenHash: string) => ({ TableName: deployedName('traffic'), Key: tokenKey(tokenHash) });
const tokenOf = async (tokenHash: string) =>
  (await documents.send(new GetCommand({ ...at(tokenHash), ConsistentRead: true }))).Item;
const loseTokens = async (programId: string) => {
  for (const { tokenHash } of await allApiKeys(programId)) await documents.send(new DeleteCommand(at(tokenHash)));
};

describe('rebuilt tokens', () => {
  it('are what they were, counters aside, and keep the counters that they have', async () => {
    const { programId, apiKey } = await makeProgram({ currency: 'EUR', commissionRate: 12.5 });
    for (let count = 0; count < 3; count++) await createApiKey(programId, 'Another', now);
    const hashes = (await allApiKeys(programId)).map(({ tokenHash }) => tokenHash);
    const before = await Promise.all(hashes.map(tokenOf));
    await loseTokens(programId);
    expect(await rebuildTokensOf(programId)).toEqual({ programs: 1, tokens: 4, deletedMeanwhile: 0 });
    expect(await Promise.all(hashes.map(tokenOf))).toEqual(before);

    await apiWith(apiKey).get('/program');
    const counted = await tokenOf(hashOfToken(apiKey));
    await rebuildTokensOf(programId);
    expect(await tokenOf(hashOfToken(apiKey))).toEqual(counted);
  });

  it('return 404 for a deleted program', async () => {
    const { programId, apiKey } = await makeProgram();
    const tokenHash = hashOfToken(apiKey);
    const rebuilding = rebuildTokensOf(programId);
    await deleteProgram(programId);
    await rebuilding;
    expect(await tokenOf(tokenHash)).toMatchObject({ programDeleted: true });
    expect((await apiWith(apiKey).get('/program')).status).toBe(404);
  });

  it('are those of the keys that there are, when keys are created and deleted meanwhile', async () => {
    for (let round = 0; round < 2; round++) {
      const { programId } = await makeProgram();
      const doomed = [];
      for (let count = 0; count < 3; count++) doomed.push(await createApiKey(programId, 'Doomed', now));
      await loseTokens(programId);
      await Promise.all([
        rebuildTokensOf(programId),
        ...doomed.map(({ keyId }) => deleteApiKey(programId, keyId, now)),
        createApiKey(programId, 'New', now),
        rebuildTokensOf(programId),
      ]);
      const keys = await allApiKeys(programId);
      expect(keys).toHaveLength(2);
      for (const { tokenHash, id } of keys) {
        const token = await tokenOf(tokenHash);
        expect(token).toMatchObject({ programId, keyId: id });
        expect(sharesInTheEnd(token)).toBe(false);
      }
      for (const { apiKey } of doomed) expect(await tokenOf(hashOfToken(apiKey))).toBeUndefined();
    }
  });
});
