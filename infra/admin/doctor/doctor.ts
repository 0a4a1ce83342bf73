import { checkAccess } from './access.ts';
import { checkAlarms, checkQuotas, checkWorkers } from './account.ts';
import { checkDeployment } from './deployed.ts';
import { type Check, type CheckedStack, type Finding, findingsOf } from './finding.ts';
import { checkQueues } from './queues.ts';
import { checkSchedules } from './schedules.ts';
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
  schedules: checkSchedules,
  quotas: checkQuotas,
  alarms: checkAlarms,
} as const satisfies Record<string, Check>;

export interface Report {
  /** False if there is a problem; warnings do not count. */
  healthy: boolean;
  findings: Finding[];
  checked: string[];
}

const runCheck = async (name: string, check: Check, stack: CheckedStack): Promise<Finding[]> => {
  try {
    return await check(stack);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [findingsOf(name).problem(`The check failed: ${reason}`, 'Check your credentials and permissions.')];
  }
};

/**
 * Checks a stack, and changes nothing.
 * @returns problems first, then warnings
 * @param stack the stack that `useStack` has chosen
 */
export const checkStack = async (stack: CheckedStack): Promise<Report> => {
  const checks = Object.entries<Check>({ ...everywhere, ...(stack.stackName && whereDeployed) });
  const found = (await Promise.all(checks.map(([name, check]) => runCheck(name, check, stack)))).flat();
  const findings = found.toSorted((one, other) => one.level.localeCompare(other.level));
  const healthy = !findings.some(({ level }) => level === 'problem');
  return { healthy, findings, checked: checks.map(([name]) => name) };
};
