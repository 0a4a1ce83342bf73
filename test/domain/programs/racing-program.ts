import { randomUUID } from 'node:crypto';
import { AccessToken, tokenKey } from '../../../shared/domain/access/token.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { allApiKeys, getProgram } from '../../../shared/domain/programs/repository.ts';
import { updateProgram } from '../../../shared/domain/programs/update-program.ts';
import { getItem } from '../../../shared/platform/table/items.ts';
import { now } from '../../support/domain.ts';

export const begin = async () => {
  const ownerEmail = `owner-${randomUUID()}@example.com`;
  const { programId } = await createProgram({ name: 'Acme', ownerEmail, plan: 'BUSINESS' }, now);
  return { ownerEmail, programId };
};

export const tokensOf = async (programId: string) =>
  Promise.all(
    (await allApiKeys(programId)).map(async ({ tokenHash }) =>
      AccessToken.parse(await getItem('traffic', tokenKey(tokenHash))),
    ),
  );

export const editOf = async (
  programId: string,
  changes: { name?: string; currency?: string; commissionRate?: number },
) => {
  const { name, baseUrls, allowSelfReferral, currency, commissionRate } = await getProgram(programId);
  return updateProgram(programId, { name, baseUrls, allowSelfReferral, currency, commissionRate, ...changes }, now);
};
