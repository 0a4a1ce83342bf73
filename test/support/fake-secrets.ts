import { randomUUID } from 'node:crypto';
import { ResourceNotFoundException, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { vi } from 'vitest';
import { type SecretName, secretVariable } from '../../shared/contract/needs.ts';

interface FakeVersion {
  VersionId?: string;
  SecretString?: string;
  CreatedDate?: Date;
}

const notFound = () => new ResourceNotFoundException({ $metadata: {}, message: 'no such version' });

/**
 * A secret that no other test has, in place of Secrets Manager: its versions, newest first, and what was asked for. Its name
 * is none of the product's, whose versions this process may know already.
 */
export const fakeSecret = () => {
  const name = `secret-${randomUUID()}` as SecretName;
  const versions: FakeVersion[] = [];
  const asked: object[] = [];
  let failure: Error | undefined;
  let failingStage: string | undefined;
  vi.stubEnv(secretVariable(name), `arn of ${name}`);
  vi.spyOn(SecretsManagerClient.prototype, 'send').mockImplementation(async ({ input }: { input: object }) => {
    const { SecretId, ...which }: { SecretId?: string; VersionId?: string; VersionStage?: string } = input;
    asked.push(which);
    const { VersionId, VersionStage } = which;
    if (failure && (!failingStage || failingStage === VersionStage)) throw failure;
    const wanted = VersionId
      ? versions.find((version) => version.VersionId === VersionId)
      : versions[VersionStage === 'AWSPREVIOUS' ? 1 : 0];
    if (SecretId !== `arn of ${name}` || !wanted) throw notFound();
    return wanted;
  });
  return {
    name,
    versions,
    asked,
    /** The new version's id. */
    rotate: (createdAt = new Date(0)): string => {
      const VersionId = randomUUID();
      versions.unshift({ VersionId, SecretString: `text of ${VersionId}`, CreatedDate: createdAt });
      return VersionId;
    },
    /** From now on every call fails, or every one for a stage; without an error none. */
    fail: (error?: Error, stage?: string) => {
      failure = error;
      failingStage = stage;
    },
  };
};
