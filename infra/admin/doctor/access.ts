import { allProgramsEntry, secretNames } from '../../../shared/contract/needs.ts';
import { tokenKey } from '../../../shared/domain/access/token.ts';
import { decrypt } from '../../../shared/platform/secrets/encryption.ts';
import { newestVersion } from '../../../shared/platform/secrets/secret-value.ts';
import { deployedName } from '../../../shared/platform/table/deployed-name.ts';
import { batchGetItems, scanItems } from '../../../shared/platform/table/items.ts';
import { indexAttribute } from '../../../shared/platform/table/keys.ts';
import { webhooks } from '../../../shared/webhooks/endpoints/repository.ts';
import { webhookResponse } from '../../../shared/webhooks/endpoints/secrets.ts';
import { type Check, type Finding, findingsOf } from './finding.ts';

const { problem, warning } = findingsOf('access');

/** A sample is enough: a lost table or a replaced secret concerns all keys. */
const sampleSize = 20;
const maxItemsRead = 5000;
const endpointsOfProgram = 5;

const sampleKeys = async () => {
  const keys = [];
  let unlisted = 0;
  let itemsRead = 0;
  const attribute = indexAttribute(allProgramsEntry.index);
  const attributes = ['pk', 'sk', 'tokenHash', 'sealedKey', attribute];
  const items = scanItems('records', { ProjectionExpression: attributes.join(), Limit: 1000 });
  for await (const item of items) {
    if (typeof item.tokenHash === 'string') keys.push(item);
    if (String(item.pk).endsWith('#PROGRAM') && item[attribute] === undefined) unlisted += 1;
    itemsRead += 1;
    if (keys.length === sampleSize || itemsRead === maxItemsRead) break;
  }
  return { keys, unlisted, isUnknown: keys.length === 0 && itemsRead === maxItemsRead };
};

type Keys = Awaited<ReturnType<typeof sampleKeys>>['keys'];

const secretFindings = async (): Promise<Finding[]> => {
  const found = await Promise.all(
    secretNames.map(async (name) => {
      try {
        await newestVersion(name);
        return [];
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return [problem(`The secret ${name} cannot be read: ${reason}`, 'docs/operations.md, section "Secrets"')];
      }
    }),
  );
  return found.flat();
};

const tokenFindings = async (keys: Keys): Promise<Finding[]> => {
  const tokens = await batchGetItems(
    deployedName('traffic'),
    keys.map(({ tokenHash }) => tokenKey(String(tokenHash))),
  );
  const missing = keys.length - tokens.length;
  if (missing === 0) return [];
  return [
    problem(
      `${missing} of ${keys.length} API keys have no token: their requests return 401.`,
      'npm run admin -- keys rebuild',
    ),
  ];
};

const copyFindings = async (keys: Keys): Promise<Finding[]> => {
  const copies = await Promise.all(
    keys.map(({ pk, sk, sealedKey }) => decrypt('key-copies', String(sealedKey), `${String(pk).split('#')[1]}/${sk}`)),
  );
  const unreadable = copies.filter((copy) => copy === undefined).length;
  if (unreadable === 0) return [];
  return [
    problem(
      `${unreadable} of ${keys.length} copies of API keys cannot be decrypted: the secret key-copies was replaced.`,
      'docs/operations.md, section "Secrets"',
    ),
  ];
};

/** A program of an earlier version, which was neither restored nor listed since. */
const unlistedFindings = (unlisted: number): Finding[] =>
  unlisted === 0
    ? []
    : [
        problem(
          `${unlisted} programs are not in the list of all programs: scheduled workers leave them out.`,
          'npm run admin -- program list-all',
        ),
      ];

/** Whether webhooks of the programs of these keys can be signed. */
const webhookFindings = async (keys: Keys): Promise<Finding[]> => {
  const programIds = [...new Set(keys.map(({ pk }) => String(pk).split('#')[1] ?? ''))];
  const pages = await Promise.all(
    programIds.map(async (programId) => {
      const { items } = await webhooks.page(programId, { limit: endpointsOfProgram });
      return Promise.all(items.map((webhook) => webhookResponse(programId, webhook)));
    }),
  );
  const endpoints = pages.flat();
  const unreadable = endpoints.filter(({ secret }) => secret === null).length;
  if (unreadable === 0) return [];
  return [
    problem(
      `${unreadable} of ${endpoints.length} secrets of webhook endpoints cannot be decrypted: the secret webhook-secrets was replaced. Their webhooks are not sent.`,
      'docs/runbook.md, section "Dead letters of deliver-webhook"',
    ),
  ];
};

/** Whether API keys still authenticate, programs are listed, and whether the secrets are those that encrypted them. */
export const checkAccess: Check = async () => {
  const [ofSecrets, { keys, unlisted, isUnknown }] = await Promise.all([secretFindings(), sampleKeys()]);
  const found = await Promise.all([
    tokenFindings(keys),
    // Without the secrets, nothing can be decrypted, which is said already.
    ofSecrets.length === 0 ? copyFindings(keys) : [],
    ofSecrets.length === 0 ? webhookFindings(keys) : [],
    isUnknown
      ? [
          warning(
            `API keys were not checked: the first ${maxItemsRead} items of the table have none.`,
            'Request GET /program with a key.',
          ),
        ]
      : [],
  ]);
  return [...ofSecrets, ...unlistedFindings(unlisted), ...found.flat()];
};
