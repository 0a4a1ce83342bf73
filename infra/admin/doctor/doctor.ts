import { checkAccess } from './access.ts';
import { checkAlarms, checkConcurrency, checkDeployment, checkWorkers } from './account.ts';
import type { Check, CheckedStack, Finding } from './finding.ts';
import { checkQueues } from './queues.ts';
import { checkApi, checkSignIn } from './service.ts';
import { checkTables } from './tables.ts';

const everywhere = {
  tables: checkTables,
  access: checkAccess,
  queues: checkQueues,
  api: checkApi,
  'sign-in': checkSignIn,
} as const satisfies Record<string, Check>;

const whereDeployed = {
  deployment: checkDeployment,
  workers: checkWorkers,
  concurrency: checkConcurrency,
  alarms: checkAlarms,
} as const satisfies Record<string, Check>;

export interface Report {
  /** Whether there is no problem; warnings do not count. */
  healthy: boolean;
  findings: Finding[];
  checked: string[];
}

const runCheck = async (name: string, check: Check, stack: CheckedStack): Promise<Finding[]> => {
  try {
    return await check(stack);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'Check your credentials and permissions; if a table or queue is gone, that is said apart.';
    return [{ level: 'problem', check: name, text: `It could not be checked: ${reason}`, remedy }];
  }
};

/**
 * Looks at a stack and says what is wrong with it, problems first. Changes nothing.
 * @param stack the stack that `useStack` has chosen
 */
export const checkStack = async (stack: CheckedStack): Promise<Report> => {
  const checks = Object.entries<Check>({ ...everywhere, ...(stack.stackName && whereDeployed) });
  const found = (await Promise.all(checks.map(([name, check]) => runCheck(name, check, stack)))).flat();
  const findings = found.toSorted((one, other) => one.level.localeCompare(other.level));
  const healthy = !findings.some(({ level }) => level === 'problem');
  return { healthy, findings, checked: checks.map(([name]) => name) };
};
