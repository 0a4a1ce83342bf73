import type { QueueName } from '../../contract/needs.ts';
import { StoredAffiliate } from '../../domain/affiliates/rules.ts';
import { isWorking } from '../../domain/imports/import-record.ts';
import { connectionJobsOf } from '../../domain/promotional-codes/link-connection-jobs.ts';
import type { Change } from '../../platform/table/change.ts';
import { importedAttribute } from '../../platform/table/import-mark.ts';

export interface Job {
  queue: Exclude<QueueName, 'deliveries'>;
  message: object;
}

/** See docs/behavior.md#cascades */
const cascading: readonly string[] = ['PROGRAM', 'COUPON', 'AFFILIATE', 'REFERRAL', 'LINK', 'GROUP'];

const deletionJobsOf = ({ programId, kind, recordId, after }: Change): Job[] =>
  cascading.includes(kind) && !after ? [{ queue: 'deletions', message: { programId, kind, id: recordId } }] : [];

/** The application in an image of an affiliate; undefined for any other record, null where nobody applied. */
export const applicationIn = (image: Change['after']) =>
  StoredAffiliate.shape.application.safeParse(image?.application).data;

/** Imported affiliates have the codes that are imported. Whoever applied gets theirs when approved. */
const automaticCodeJobsOf = ({ programId, kind, recordId, before, after }: Change): Job[] => {
  if (kind !== 'AFFILIATE' || !after) return [];
  const [earlier, present] = [applicationIn(before), applicationIn(after)];
  const hasJoined = before
    ? earlier != null && earlier.status !== 'APPROVED' && present?.status === 'APPROVED'
    : present?.status !== 'WAITING' && after[importedAttribute] === undefined;
  return hasJoined ? [{ queue: 'automatic-codes', message: { programId, affiliateId: recordId } }] : [];
};

const payoutJobsOf = ({ programId, kind, recordId, before, after }: Change): Job[] => {
  if (kind !== 'PAYOUT_BATCH') return [];
  const job = (task: 'prepare' | 'pay' | 'release'): Job[] => [
    { queue: 'payout-batches', message: { programId, batchId: recordId, task } },
  ];
  if (!before) return after?.status === 'PAID' ? [] : job('prepare');
  if (!after) return job('release');
  return before.status !== 'PAID' && after.status === 'PAID' ? job('pay') : [];
};

const cancellationJobsOf = ({ programId, kind, recordId, after }: Change): Job[] =>
  kind === 'WEBHOOK' && !after
    ? [{ queue: 'redeliveries', message: { programId, webhookId: recordId, deleted: true } }]
    : [];

const importJobsOf = ({ programId, kind, recordId, before, after }: Change): Job[] => {
  const isStarted = kind === 'IMPORT' && before?.status !== after?.status && isWorking(after?.status);
  return isStarted ? [{ queue: 'imports', message: { programId, importId: recordId } }] : [];
};

const exportJobsOf = ({ programId, kind, recordId, before }: Change): Job[] =>
  kind === 'EXPORT' && !before ? [{ queue: 'exports', message: { programId, exportId: recordId } }] : [];
const erasureJobsOf = ({ programId, kind, recordId, before }: Change): Job[] =>
  kind === 'ERASURE' && !before ? [{ queue: 'erasures', message: { programId, erasureId: recordId } }] : [];

export const jobsOf = (change: Change): Job[] => [
  ...connectionJobsOf(change).map((message): Job => ({ queue: 'code-connections', message })),
  ...deletionJobsOf(change),
  ...automaticCodeJobsOf(change),
  ...payoutJobsOf(change),
  ...cancellationJobsOf(change),
  ...importJobsOf(change),
  ...exportJobsOf(change),
  ...erasureJobsOf(change),
];
