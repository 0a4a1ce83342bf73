import type { QueueName } from '../../contract/needs.ts';
import { connectionJobsOf } from '../../domain/links/connection-jobs.ts';
import type { Change } from '../../platform/table/change.ts';

/** A message to a worker about a committed change. The worker may get it twice. */
export interface Job {
  queue: Exclude<QueueName, 'deliveries'>;
  message: object;
}

/** What is deleted together with a record, or loses its name. Decisions, section 2. */
const cascading: readonly string[] = ['PROGRAM', 'COUPON', 'AFFILIATE', 'REFERRAL', 'LINK'];

const deletionJobsOf = ({ programId, kind, recordId, after }: Change): Job[] =>
  cascading.includes(kind) && !after ? [{ queue: 'deletions', message: { programId, kind, id: recordId } }] : [];

const automaticCodeJobsOf = ({ programId, kind, recordId, before }: Change): Job[] =>
  kind === 'AFFILIATE' && !before ? [{ queue: 'automatic-codes', message: { programId, affiliateId: recordId } }] : [];

/** A batch was made, marked paid, or deleted: its sales follow. */
const payoutJobsOf = ({ programId, kind, recordId, before, after }: Change): Job[] => {
  if (kind !== 'PAYOUT_BATCH') return [];
  const job = (task: 'prepare' | 'pay' | 'release'): Job[] => [
    { queue: 'payout-batches', message: { programId, batchId: recordId, task } },
  ];
  if (!before) return job('prepare');
  if (!after) return job('release');
  return before.status !== 'PAID' && after.status === 'PAID' ? job('pay') : [];
};

/** The background work that a change asks for. */
export const jobsOf = (change: Change): Job[] => [
  ...connectionJobsOf(change).map((message): Job => ({ queue: 'code-connections', message })),
  ...deletionJobsOf(change),
  ...automaticCodeJobsOf(change),
  ...payoutJobsOf(change),
];
