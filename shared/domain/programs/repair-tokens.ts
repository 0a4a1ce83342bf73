import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { updateItem } from '../../platform/table/items.ts';
import { type AccessToken, tokenKey } from '../access/token.ts';
import { getAccount } from './accounts.ts';
import { allApiKeys, programs, setProgramPlan } from './repository.ts';

const maxConcurrency = 10;

/** What a token says of its program, whichever key it is of. A new field of tokens does not compile until it is below. */
type Told = Omit<AccessToken, 'programId' | 'keyId' | 'kind' | 'programDeleted' | 'sharesLimit' | 'sharesUntil'>;

/** The program as its tokens should know it; undefined once it is deleted. A plan that `setPlan` left behind is set. */
const currentOf = async (programId: string): Promise<Told | undefined> => {
  const program = await programs.get(programId, programId);
  if (!program) return undefined;
  const { currency, commissionRate, timeZone } = program;
  const plan = (await getAccount(program.ownerEmail))?.plan ?? program.plan;
  if (plan !== program.plan) await setProgramPlan(programId, plan);
  return { plan, currency, commissionRate, timeZone };
};

/** No function may read what a token stands for: the write itself compares. False if the token says so already, or is gone. */
const correctToken = async (tokenHash: string, told: Told): Promise<boolean> => {
  const entries = Object.entries(told);
  const equals = entries.map((_, at) => `#n${at} = :v${at}`);
  const { isWritten } = await updateItem('traffic', tokenKey(tokenHash), {
    UpdateExpression: `SET ${equals.join(', ')}`,
    ConditionExpression: `attribute_exists(pk) AND NOT (${equals.join(' AND ')})`,
    ExpressionAttributeNames: Object.fromEntries(entries.map(([name], at) => [`#n${at}`, name])),
    ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], at) => [`:v${at}`, value])),
  });
  return isWritten;
};

/** Tells the tokens of a program what an interrupted change did not. Repeats until they agree, whoever else changes it. */
export const repairTokens = async (programId: string): Promise<void> => {
  for (;;) {
    const current = await currentOf(programId);
    if (!current) return;
    let corrected = 0;
    await forEachConcurrent(await allApiKeys(programId), maxConcurrency, async ({ tokenHash }) => {
      if (await correctToken(tokenHash, current)) corrected += 1;
    });
    if (corrected === 0) return;
  }
};
