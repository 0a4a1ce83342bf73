import { secretNames } from '../../../shared/contract/needs.ts';
import { tokenKey } from '../../../shared/domain/access/token.ts';
import { decrypt } from '../../../shared/platform/secrets/encryption.ts';
import { newestVersion } from '../../../shared/platform/secrets/secret-value.ts';
import { deployedName } from '../../../shared/platform/table/client.ts';
import { batchGetItems, scanItems } from '../../../shared/platform/table/items.ts';
import { type Check, type Finding, findingsOf } from './finding.ts';

const { problem } = findingsOf('access');

/** A sample says whether a table or a secret was lost, which concerns all keys at once. */
const sampleSize = 20;
const maxItemsLookedAt = 5000;

const sampleOfKeys = async () => {
  const sample = [];
  let lookedAt = 0;
  const items = scanItems('records', { ProjectionExpression: 'pk, sk, tokenHash, sealedKey', Limit: 1000 });
  for await (const item of items) {
    if (typeof item.tokenHash === 'string') sample.push(item);
    lookedAt += 1;
    if (sample.length === sampleSize || lookedAt === maxItemsLookedAt) break;
  }
  return sample;
};

const secretFindings = async (): Promise<Finding[]> => {
  const found: Finding[] = [];
  for (const name of secretNames)
    try {
      await newestVersion(name);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      found.push(problem(`The secret ${name} cannot be read: ${reason}`, 'docs/operations.md, section "Secrets"'));
    }
  return found;
};

/** Whether keys still authenticate, and whether the secrets are those that encrypted them. */
export const checkAccess: Check = async () => {
  const found = await secretFindings();
  const sample = await sampleOfKeys();
  const tokens = await batchGetItems(
    deployedName('traffic'),
    sample.map(({ tokenHash }) => tokenKey(String(tokenHash))),
  );
  if (tokens.length < sample.length)
    found.push(
      problem(
        `${sample.length - tokens.length} of ${sample.length} API keys have no token: requests with them get 401.`,
        'npm run admin -- keys rebuild',
      ),
    );
  const unreadable = [];
  for (const { pk, sk, sealedKey } of found.length === 0 ? sample : []) {
    const context = `${String(pk).split('#')[1]}/${sk}`;
    if ((await decrypt('key-copies', String(sealedKey), context)) === undefined) unreadable.push(context);
  }
  if (unreadable.length > 0)
    found.push(
      problem(
        `${unreadable.length} of ${sample.length} copies of keys cannot be decrypted: the secret key-copies was replaced.`,
        'docs/operations.md, section "Secrets"',
      ),
    );
  return found;
};
