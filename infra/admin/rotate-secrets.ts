import { randomBytes, randomUUID } from 'node:crypto';
import {
  DescribeSecretCommand,
  LimitExceededException,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { ScanCommand, type ScanCommandOutput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type SecretName, secretNames, secretVariable } from '../../shared/contract/needs.ts';
import { reencrypt } from '../../shared/platform/secrets/encryption.ts';
import { newestVersion } from '../../shared/platform/secrets/secret-value.ts';
import { documents } from '../../shared/platform/table/client.ts';
import { deployedName } from '../../shared/platform/table/deployed-name.ts';
import { retryTransient } from '../../shared/platform/table/retry-transient.ts';

interface AfterRotation {
  /** Attributes of records that the secret encrypts, and that are encrypted again. */
  encrypted: readonly string[];
  /** Whether what names an earlier version, such as a click id, stays valid. */
  keepsVersions: boolean;
}

const afterRotation: Readonly<Record<SecretName, AfterRotation>> = {
  'webhook-secrets': { encrypted: ['sealedSecret', 'previousSealedSecret'], keepsVersions: false },
  'key-copies': { encrypted: ['sealedKey'], keepsVersions: false },
  sessions: { encrypted: [], keepsVersions: false },
  'click-ids': { encrypted: [], keepsVersions: true },
  'mail-links': { encrypted: [], keepsVersions: true },
};

const keptLabel = 'KEPT_';

/** What one pass over the records came to. */
interface Reencryption {
  reencrypted: number;
  /** Changed by somebody else at the same moment: the next pass looks at them again. */
  conflicts: number;
  /** `programId/recordId` of texts that no version can decrypt; they are left as they are. */
  undecryptable: string[];
}

const recordsInPage = 200;
const maxPasses = 5;

type Item = Record<string, unknown>;

const readPage = (attributes: readonly string[], after: Item | undefined): Promise<ScanCommandOutput> =>
  retryTransient(() =>
    documents.send(
      new ScanCommand({
        TableName: deployedName('records'),
        Limit: recordsInPage,
        ConsistentRead: true,
        FilterExpression: attributes.map((name) => `attribute_type(${name}, :text)`).join(' OR '),
        ExpressionAttributeValues: { ':text': 'S' },
        ProjectionExpression: ['pk', 'sk', ...attributes].join(', '),
        ExclusiveStartKey: after,
      }),
    ),
  );

/** Replaces one encrypted text, unless it changed since it was read. */
const replaceText = async ({ pk, sk }: Item, name: string, before: string, after: string): Promise<boolean> => {
  const replacing = new UpdateCommand({
    TableName: deployedName('records'),
    Key: { pk, sk },
    UpdateExpression: `SET ${name} = :after`,
    ConditionExpression: `${name} = :before`,
    ExpressionAttributeValues: { ':after': after, ':before': before },
  });
  try {
    await retryTransient(() => documents.send(replacing));
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
    throw error;
  }
};

const reencryptItem = async (secret: SecretName, item: Item, name: string, sum: Reencryption): Promise<void> => {
  const before = item[name];
  if (typeof before !== 'string') return;
  // The partition key is `PROGRAM#<id>#<kind>`, and a text belongs to its program and record.
  const context = `${String(item.pk).split('#')[1]}/${item.sk}`;
  const after = await reencrypt(secret, before, context).catch((error: unknown) => {
    if (!(error instanceof Error && error.message.includes('cannot be decrypted'))) throw error;
    sum.undecryptable.push(context);
    return undefined;
  });
  if (after === undefined) return;
  if (await replaceText(item, name, before, after)) sum.reencrypted += 1;
  else sum.conflicts += 1;
};

const reencryptOnce = async (secret: SecretName): Promise<Reencryption> => {
  const sum: Reencryption = { reencrypted: 0, conflicts: 0, undecryptable: [] };
  const attributes = afterRotation[secret].encrypted;
  let after: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await readPage(attributes, after);
    for (const item of Items) for (const name of attributes) await reencryptItem(secret, item, name, sum);
    after = LastEvaluatedKey;
  } while (after);
  return sum;
};

/**
 * Encrypts everything that was encrypted with an earlier version of a secret with its newest one, in pages. May be run at
 * any time, beside requests, and again after it was interrupted.
 */
const reencryptAll = async (secret: SecretName): Promise<Omit<Reencryption, 'conflicts'>> => {
  await newestVersion(secret);
  let reencrypted = 0;
  for (let pass = 1; afterRotation[secret].encrypted.length > 0; pass += 1) {
    const sum = await reencryptOnce(secret);
    reencrypted += sum.reencrypted;
    if (sum.conflicts === 0) return { reencrypted, undecryptable: sum.undecryptable };
    if (pass === maxPasses) throw new Error(`Records with ${secret} keep changing. Run the command again.`);
  }
  return { reencrypted, undecryptable: [] };
};

/** Secrets Manager may delete versions without a label, and a rotation moves AWSPREVIOUS away from the older one. */
const keepVersions = async (secret: SecretName, SecretId: string | undefined, secrets: SecretsManagerClient) => {
  const { VersionIdsToStages = {} } = await secrets.send(new DescribeSecretCommand({ SecretId }));
  for (const [MoveToVersionId, labels] of Object.entries(VersionIdsToStages)) {
    if (labels.some((label) => label.startsWith(keptLabel))) continue;
    const VersionStage = `${keptLabel}${MoveToVersionId}`;
    try {
      await secrets.send(new UpdateSecretVersionStageCommand({ SecretId, VersionStage, MoveToVersionId }));
    } catch (error) {
      if (!(error instanceof LimitExceededException)) throw error;
      throw new Error(
        `${secret} was not rotated: it keeps as many versions as Secrets Manager allows. Remove the label of the oldest: docs/operations.md#secrets`,
      );
    }
  }
};

/**
 * Gives a secret a new version and encrypts everything with it. First finishes what an earlier rotation left, because
 * Secrets Manager may delete versions older than the previous one.
 */
const rotate = async (secret: SecretName, secrets: SecretsManagerClient) => {
  const left = await reencryptAll(secret);
  if (left.undecryptable.length > 0)
    throw new Error(
      `These texts of ${secret} cannot be decrypted: ${left.undecryptable.join(', ')}. Nothing was rotated.`,
    );
  const SecretId = process.env[secretVariable(secret)];
  if (afterRotation[secret].keepsVersions) await keepVersions(secret, SecretId, secrets);
  const SecretString = randomBytes(48).toString('base64url');
  const { VersionId } = await secrets.send(
    new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken: randomUUID() }),
  );
  return { versionId: VersionId, ...(await reencryptAll(secret)) };
};

/** Rotates the named secrets. @returns by name the new version, and how many texts were encrypted with it */
export const rotateSecrets = async (names: readonly SecretName[]) => {
  const secrets = new SecretsManagerClient({});
  const results: Partial<Record<SecretName, Awaited<ReturnType<typeof rotate>>>> = {};
  for (const name of names) results[name] = await rotate(name, secrets);
  return results;
};

/** Encrypts with the newest version of each secret what an earlier one still encrypts. @returns by name how many texts */
export const reencryptSecrets = async () => {
  const results: Partial<Record<SecretName, Awaited<ReturnType<typeof reencryptAll>>>> = {};
  for (const name of secretNames) results[name] = await reencryptAll(name);
  return results;
};
