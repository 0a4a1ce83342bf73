import { stepsAfterDeletion } from '../../../shared/domain/deletions/steps.ts';
import { isRunning } from '../../../shared/domain/exports/export-record.ts';
import { isWorking } from '../../../shared/domain/imports/import-record.ts';
import { sendBatch } from '../../../shared/platform/queue/send-batch.ts';
import { type Item, subjectOf } from '../items.ts';

/** A message that starts background work, which the change of a restored item does not start. */
interface Job {
  queue: 'payout-batches' | 'deletions' | 'code-connections' | 'erasures' | 'imports' | 'exports';
  message: object;
  groupId: string;
}

/** A copy may be 35 days old; one more day is for work that was under way then. */
const recentMilliseconds = 36 * 24 * 60 * 60 * 1000;

const jobsAtATime = 200;

/** Of an erasure, import or export that was under way: until it ends, no other one can begin. */
const unfinishedWork = (
  { status, encryptedEmail }: Item,
  kind: string | undefined,
  programId: string,
  id: string,
): Job[] => {
  const groupId = programId;
  if (kind === 'ERASURE' && encryptedEmail?.S !== undefined)
    return [{ queue: 'erasures', message: { programId, erasureId: id }, groupId }];
  if (kind === 'IMPORT' && isWorking(status?.S))
    return [{ queue: 'imports', message: { programId, importId: id }, groupId }];
  if (kind === 'EXPORT' && isRunning({ status: status?.S }))
    return [{ queue: 'exports', message: { programId, exportId: id }, groupId }];
  return [];
};

/** The background work that may be unfinished for an item. Workers may see a message twice, so finished work is harmless. */
export const jobsFor = (item: Item, now: Date): Job[] => {
  const { programId, partition, sk } = subjectOf(item);
  if (programId === undefined) return [];
  const isRecent = (at: string | undefined): boolean =>
    at !== undefined && Date.parse(at) > now.getTime() - recentMilliseconds;
  const payouts = (task: 'prepare' | 'pay' | 'release'): Job[] => [
    { queue: 'payout-batches', message: { programId, batchId: sk, task }, groupId: programId },
  ];
  if (partition === 'PAYOUT_BATCH') {
    if (item.status?.S === 'PREPARING') return payouts('prepare');
    return item.status?.S === 'PAID' && isRecent(item.paidAt?.S) ? payouts('pay') : [];
  }
  // The backup may be from before the worker copied the status to the links.
  const statusJobs = (message: object): Job[] => [
    { queue: 'code-connections', message: { programId, ...message }, groupId: programId },
  ];
  if (partition === 'AFFILIATE') return item.status?.S === 'ACTIVE' ? [] : statusJobs({ affiliateId: sk });
  if (partition === 'LINK#SLUG') {
    const { affiliateId, affiliateStatus, id } = item;
    const isActive = affiliateStatus === undefined || affiliateStatus.S === 'ACTIVE';
    return isActive ? [] : statusJobs({ affiliateId: affiliateId?.S, linkId: id?.S });
  }
  const kind = partition?.startsWith('TOMBSTONE#') ? partition.slice('TOMBSTONE#'.length) : undefined;
  if (kind === undefined) return unfinishedWork(item, partition, programId, sk);
  if (!isRecent(item.deletedAt?.S)) return [];
  if (kind === 'PAYOUT_BATCH') return payouts('release');
  return Object.hasOwn(stepsAfterDeletion, kind)
    ? [{ queue: 'deletions', message: { programId, kind, id: sk }, groupId: programId }]
    : [];
};

/** Sends the messages. Throws if some were not sent. */
export const startJobs = async (jobs: readonly Job[]): Promise<void> => {
  for (const [queue, ofQueue] of Map.groupBy(jobs, (job) => job.queue))
    for (let start = 0; start < ofQueue.length; start += jobsAtATime) {
      const unsent = await sendBatch(queue, ofQueue.slice(start, start + jobsAtATime));
      if (unsent.size > 0) throw new Error(`${unsent.size} messages to ${queue} were not sent. Run the command again.`);
    }
};
