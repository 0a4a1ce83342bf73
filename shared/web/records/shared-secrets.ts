import type { StoredMember } from '../../domain/programs/members.ts';
import { allApiKeys } from '../../domain/programs/repository.ts';
import { allWebhooks, isOwn } from '../../webhooks/endpoints/repository.ts';
import { secretSetAt } from '../../webhooks/endpoints/rules.ts';
import { type SharedSecrets, seenByMember } from '../pages/shared-secrets.tsx';

/** Those that exist since before a time; all without one. */
export const sharedSecrets = async (programId: string, before?: string): Promise<SharedSecrets> => {
  const [keys, webhooks] = await Promise.all([allApiKeys(programId), allWebhooks(programId)]);
  const isKept = (setAt: string) => before === undefined || setAt < before;
  return {
    keys: keys.filter(({ kind, createdAt }) => kind === 'API' && isKept(createdAt)),
    endpoints: webhooks.filter((webhook) => isOwn(webhook) && isKept(secretSetAt(webhook))),
  };
};

/** All that owners and managers can read; of a viewer, what they have seen with an earlier role. */
export const secretsReadBy = async (
  programId: string,
  { id, role }: Pick<StoredMember, 'id' | 'role'>,
  before?: string,
): Promise<SharedSecrets> => {
  const secrets = await sharedSecrets(programId, before);
  if (role !== 'VIEWER') return secrets;
  return {
    keys: secrets.keys.filter(({ seenBy }) => seenByMember(seenBy, id)),
    endpoints: secrets.endpoints.filter(({ seenBy }) => seenByMember(seenBy, id)),
  };
};
