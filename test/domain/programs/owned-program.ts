import { randomUUID } from 'node:crypto';
import { AccessToken, hashOfToken, tokenKey } from '../../../shared/domain/access/token.ts';
import type { Plan } from '../../../shared/domain/programs/accounts.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { allApiKeys } from '../../../shared/domain/programs/repository.ts';
import { getItem } from '../../../shared/platform/table/items.ts';
import { now } from '../../support/domain.ts';

export const freshEmail = () => `owner-${randomUUID()}@example.com`;

export const begin = async (plan: Plan = 'BUSINESS') => {
  const ownerEmail = freshEmail();
  const { programId, apiKey, keyId } = await createProgram({ name: 'Acme', ownerEmail, plan }, now);
  return { ownerEmail, programId, apiKey, keyId };
};

/** What authentication knows of a key. */
export const tokenOf = async (apiKey: string): Promise<AccessToken | undefined> =>
  AccessToken.optional().parse(await getItem('traffic', tokenKey(hashOfToken(apiKey))));

/** What authentication knows of every key of a program. */
export const tokensOf = async (programId: string): Promise<(AccessToken | undefined)[]> =>
  Promise.all(
    (await allApiKeys(programId)).map(async ({ tokenHash }) =>
      AccessToken.optional().parse(await getItem('traffic', tokenKey(tokenHash))),
    ),
  );
