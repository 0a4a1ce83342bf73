import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { updateItem } from '../../platform/table/items.ts';
import { type AccessToken, tokenKey } from '../access/token.ts';
import { getAccount } from './accounts.ts';
import { allApiKeys, programs, setProgramPlan } from './repository.ts';
import { reviewsSales } from './review-rules.ts';

const maxConcurrency = 10;

/** A new field of tokens does not compile until it is repaired too. */
type Told = Omit<AccessToken, 'programId' | 'keyId' | 'kind' | 'programDeleted' | 'sharesLimit' | 'sharesUntil'>;

const currentOf = async (programId: string): Promise<Told | undefined> => {
  const program = await programs.get(programId, programId);
  if (!program) return undefined;
  const { currency, commissionRate, timeZone } = program;
  const plan = (await getAccount(program.ownerEmail))?.plan ?? program.plan;
  if (plan !== program.plan) await setProgramPlan(programId, plan);
  return { plan, currency, commissionRate, timeZone, reviewsSales: reviewsSales(program) };
};

/** The write compares, because no function may read what a token stands for. False if the token says so already. */
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

/** After a change that was interrupted. Repeats until they agree, whoever else changes the program. */
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
