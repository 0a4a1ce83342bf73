import { checkAccess } from './access.ts';
import { checkAlarms, checkConcurrency, checkDeployment, checkWorkers } from './account.ts';
import type { Check, Finding, Patient } from './finding.ts';
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

export interface Diagnosis {
  /** Whether there is no problem; warnings do not count. */
  healthy: boolean;
  findings: Finding[];
  checked: string[];
}

const examine = async (name: string, check: Check, patient: Patient): Promise<Finding[]> => {
  try {
    return await check(patient);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'Check your credentials and permissions; if a table or queue is gone, that is said apart.';
    return [{ level: 'problem', check: name, text: `It could not be checked: ${reason}`, remedy }];
  }
};

/**
 * Looks at a stack and says what is wrong with it, problems first. Changes nothing.
 * @param patient the stack that `useStack` has chosen
 */
export const examineStack = async (patient: Patient): Promise<Diagnosis> => {
  const checks = Object.entries<Check>({ ...everywhere, ...(patient.stackName && whereDeployed) });
  const found = (await Promise.all(checks.map(([name, check]) => examine(name, check, patient)))).flat();
  const findings = found.toSorted((one, other) => one.level.localeCompare(other.level));
  const healthy = !findings.some(({ level }) => level === 'problem');
  return { healthy, findings, checked: checks.map(([name]) => name) };
};
