import { randomUUID } from 'node:crypto';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { vi } from 'vitest';
import { secretVariable } from '../../shared/contract/needs.ts';

/** The one that this process signs click ids with: it is read once. */
export const clickSecret = { VersionId: randomUUID(), SecretString: randomUUID(), CreatedDate: new Date(0) };

export const useClickSecret = (): void => {
  vi.stubEnv(secretVariable('click-ids'), 'arn of click-ids');
  vi.spyOn(SecretsManagerClient.prototype, 'send').mockImplementation(async () => clickSecret);
};
