import { paginateListSchedules, SchedulerClient, type ScheduleSummary } from '@aws-sdk/client-scheduler';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { physicalIdsOf } from './deployed.ts';
import { type Check, type Finding, findingsOf } from './finding.ts';

const { problem } = findingsOf('schedules');
const everyWorker: readonly Worker[] = workers;

/** Problems of the schedules that start workers. */
export const scheduleFindings = (schedules: readonly Pick<ScheduleSummary, 'Name' | 'State'>[]): Finding[] => {
  const found = schedules
    .filter(({ State }) => State !== 'ENABLED')
    .map(({ Name, State }) =>
      problem(
        `The schedule ${Name} is ${State}: its worker does not start.`,
        'docs/runbook.md, section "Stopped workers"',
      ),
    );
  const missing = everyWorker.filter(({ trigger }) => trigger.kind === 'schedule').length - schedules.length;
  return missing <= 0
    ? found
    : [...found, problem(`Scheduled workers without a schedule: ${missing}.`, 'Deploy the stack again.')];
};

export const checkSchedules: Check = async ({ stackName }) => {
  const [own, pages] = await Promise.all([
    physicalIdsOf(stackName, 'AWS::Scheduler::Schedule'),
    Array.fromAsync(paginateListSchedules({ client: new SchedulerClient({}) }, {})),
  ]);
  const schedules = pages.flatMap(({ Schedules = [] }) => Schedules);
  return scheduleFindings(schedules.filter(({ Name = '' }) => own.has(Name)));
};
