import type { DynamoDBRecord } from 'aws-lambda';
import { eventsOf, makesEvents } from '../../../events/catalogue.ts';
import type { RecordEvent } from '../../../events/family.ts';
import { withNestedReads } from '../../../events/nested-reads.ts';
import { deletionOf } from '../../../events/origin.ts';
import { causeText } from '../../contract/actor.ts';
import type { QueueName } from '../../contract/needs.ts';
import { auditEntries } from '../../domain/audit/audit-log.ts';
import { includesWebhooks } from '../../domain/programs/accounts.ts';
import { programs } from '../../domain/programs/repository.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { logError } from '../../platform/logs/log.ts';
import { createOutbox, type Outbox } from '../../platform/queue/outbox.ts';
import type { Outgoing } from '../../platform/queue/send-batch.ts';
import { isDeterministic, setAside } from '../../platform/queue/set-aside.ts';
import { type Change, changeOf } from '../../platform/table/change.ts';
import { gatheredCreates } from '../../platform/table/gathered-creates.ts';
import { isOfImport, isQuietImport } from '../../platform/table/import-mark.ts';
import { isQuietChange } from '../../platform/table/quiet-writes.ts';
import { createAlone, writeAlone } from '../../platform/table/write-alone.ts';
import { auditEntryOf } from '../audit/audit-entry.ts';
import { auditOf } from '../audit/audited.ts';
import { firstAttempt } from '../delivery/delivery-message.ts';
import { newDelivery } from '../delivery/delivery-rules.ts';
import { deliveries, events, StoredEvent, storedEvent } from '../delivery/repository.ts';
import { allWebhooks } from '../endpoints/repository.ts';
import { type StoredWebhook, wantsEvent } from '../endpoints/rules.ts';
import { appendToFeed, type StoredEntry } from '../feed/append.ts';
import { newestNumber } from '../feed/log.ts';
import { type Job, jobsOf } from './background-jobs.ts';
import { mailJobsOf } from './mail-jobs.ts';

/** The clocks of two Lambdas may differ by this much. */
const clockSkewMilliseconds = 2000;

type ProgramOfBatch = ReturnType<typeof withNestedReads>;

const readOnce = <Value>(read: (programId: string) => Promise<Value>) => {
  const reading = new Map<string, Promise<Value>>();
  return (programId: string): Promise<Value> => {
    const response = reading.get(programId) ?? read(programId);
    reading.set(programId, response);
    return response;
  };
};

const readProgram = async (programId: string): Promise<ProgramOfBatch | undefined> => {
  const program = await programs.get(programId, programId);
  return program && withNestedReads(program);
};

/** What a batch reads once per program. The end of the feed is read before any event of the batch is stored. */
const batchReads = () => ({
  program: readOnce(readProgram),
  endpoints: readOnce(allWebhooks),
  feedEnd: readOnce(newestNumber),
  /** Of imports, which make hundreds of entries a second. */
  createTogether: gatheredCreates(),
});
type BatchReads = ReturnType<typeof batchReads>;

/** Not events that were waiting for fan-out when the endpoint was created. */
const isFor = ({ type, timestamp }: RecordEvent, webhook: StoredWebhook): boolean =>
  webhook.active &&
  wantsEvent(webhook, type) &&
  Date.parse(webhook.createdAt) <= Date.parse(timestamp) + clockSkewMilliseconds;

interface StoredEvents {
  attempts: Outgoing[];
  feed: StoredEntry[];
}

/** A repeated change keeps its stored event; messages are sent again, because the earlier run may have died before. */
const storeEvent = async (
  programId: string,
  event: RecordEvent,
  endpoints: readonly StoredWebhook[],
  feedEnd: number,
): Promise<StoredEvents> => {
  const made = endpoints.filter((webhook) => isFor(event, webhook)).map((webhook) => newDelivery(event, webhook));
  const [existing] = await Promise.all([
    createAlone(events.createWrites(programId, storedEvent(event, feedEnd))),
    ...made.map((delivery) => writeAlone(deliveries.createWrites(programId, delivery))),
  ]);
  const { feedAfter } = existing ? StoredEvent.parse(existing) : { feedAfter: feedEnd };
  return {
    attempts: made.map((delivery) => firstAttempt(programId, delivery)),
    feed: feedAfter === undefined ? [] : [{ id: event.id, type: event.type, feedAfter }],
  };
};

const storeEventsOf = async (change: Change, read: BatchReads): Promise<StoredEvents> => {
  const none = { attempts: [], feed: [] };
  if (isQuietChange(change) || !makesEvents(change)) return none;
  const { programId } = change;
  const [program, all, feedEnd] = await Promise.all([
    read.program(programId),
    read.endpoints(programId),
    read.feedEnd(programId),
  ]);
  // A deleted program has no receivers.
  if (!program) return none;
  // A plan without webhooks has no endpoints to send to.
  const endpoints = includesWebhooks(program.plan) ? all : [];
  const events = await eventsOf(change, program);
  const stored = await Promise.all(events.map((event) => storeEvent(programId, event, endpoints, feedEnd)));
  return { attempts: stored.flatMap(({ attempts }) => attempts), feed: stored.flatMap(({ feed }) => feed) };
};

/** A quiet write of an earlier version has no mark of its import but that of its row. */
const isImported = (change: Change): boolean => isQuietImport(change) || isOfImport(change);

/** What it replaces must not be kept. An import is quiet too, but its changes are audited. */
const isErasure = (change: Change): boolean => isQuietChange(change) && !isImported(change);

/** One conditional put of a change that is audited: a repeated change finds its entry. */
const storeAuditEntryOf = async (change: Change, changeId: string, read: BatchReads): Promise<void> => {
  if (!auditOf(change.kind) || isErasure(change)) return;
  const { programId } = change;
  const program = await read.program(programId);
  // The log of a deleted program goes with it.
  const entry = program && (await auditEntryOf(change, changeId, program));
  if (!entry) return;
  const writes = auditEntries.createWrites(programId, entry);
  await (isImported(change) ? read.createTogether(writes) : createAlone(writes));
};

/** Both, even if one fails. */
const storeAll = async (change: Change, changeId: string, read: BatchReads): Promise<StoredEvents> => {
  const [stored, audited] = await Promise.allSettled([
    storeEventsOf(change, read),
    storeAuditEntryOf(change, changeId, read),
  ]);
  if (stored.status === 'rejected') throw stored.reason;
  if (audited.status === 'rejected') throw audited.reason;
  return stored.value;
};

const logFailure = ({ eventID, dynamodb }: DynamoDBRecord, error: unknown): void =>
  logError('change not fanned out', error, { streamEventId: eventID, sequenceNumber: dynamodb?.SequenceNumber });

/** The same whenever the stream gives the change. */
const changeIdOf = ({ eventID, dynamodb }: DynamoDBRecord): string => eventID ?? dynamodb?.SequenceNumber ?? '';

type OutgoingJob = Outgoing & Pick<Job, 'queue'>;

interface FannedOut extends StoredEvents {
  programId: string;
  jobs: OutgoingJob[];
  failed: boolean;
}

/** The request that background work follows from, which is named by what the work writes. docs/behavior.md#audit-log */
const causeOfJobs = async (change: Change, read: BatchReads): Promise<string | undefined> => {
  if (change.after) return causeText(change.after);
  const program = await read.program(change.programId);
  return program && causeText(await deletionOf(change, program.reads));
};

/** A deleted program leaves only its own work. */
const outgoingJobs = async (change: Change, asked: readonly Job[], read: BatchReads): Promise<OutgoingJob[]> => {
  if (asked.length === 0) return [];
  const isWanted = change.kind === 'PROGRAM' || (await read.program(change.programId)) !== undefined;
  if (!isWanted) return [];
  const cause = await causeOfJobs(change, read);
  return asked.map((job) => ({ ...job, groupId: change.programId, cause }));
};

const fanOutOne = async (record: DynamoDBRecord, read: BatchReads): Promise<FannedOut> => {
  const change = changeOf(record);
  const nothing = { programId: change?.programId ?? '', jobs: [], attempts: [], feed: [], failed: false };
  if (!change) return nothing;
  let jobs: OutgoingJob[] = [];
  try {
    jobs = await outgoingJobs(change, jobsOf(change), read);
    const mails = await mailJobsOf(change, () => read.program(change.programId));
    jobs = [...jobs, ...(await outgoingJobs(change, mails, read))];
    return { ...nothing, jobs, ...(await storeAll(change, changeIdOf(record), read)) };
  } catch (error) {
    logFailure(record, error);
    // Background work waits neither for the event nor for a mail.
    if (isDeterministic(error)) return { ...nothing, jobs, failed: !(await setAside(record, error)) };
    return { ...nothing, failed: true };
  }
};

const outboxes = () => {
  const made = new Map<QueueName, Outbox>();
  return (queue: QueueName): Outbox => {
    const outbox = made.get(queue) ?? createOutbox(queue);
    made.set(queue, outbox);
    return outbox;
  };
};

const sendOut = async ({ jobs, attempts }: FannedOut, outboxOf: ReturnType<typeof outboxes>): Promise<boolean> => {
  const unsent = await Promise.all([
    outboxOf('deliveries')(attempts),
    ...jobs.map((job) => outboxOf(job.queue)([job])),
  ]);
  const sent = [...attempts, ...jobs].filter((outgoing) => !unsent.some((some) => some.has(outgoing)));
  return sent.length === attempts.length + jobs.length;
};

/** Small changes take next to no CPU time and go first. */
const maxSmallBytes = 16 * 1024;
const maxLargeAtATime = 4;
/** Of 150 endpoints and calls of a second each, they and the feed take 45 of the function's 60 seconds. */
const maxSmallAtATime = 20;
/** Later than this no change begins: the rest comes again, in a batch that begins with it. */
const beginMilliseconds = 15_000;

const isSmall = ({ dynamodb }: DynamoDBRecord): boolean => (dynamodb?.SizeBytes ?? 0) <= maxSmallBytes;

/** Returns the programs whose events did not get their place in the feed. */
const appendToFeeds = async (made: readonly FannedOut[], now: () => Date): Promise<Set<string>> => {
  const failed = new Set<string>();
  const append = async ([programId, some]: readonly [string, readonly FannedOut[]]): Promise<void> => {
    const entries = some.flatMap(({ feed }) => feed);
    await appendToFeed(programId, entries, now).catch((error: unknown) => {
      logError('events not appended to the feed', error, { programId });
      failed.add(programId);
    });
  };
  await Promise.all([...Map.groupBy(made, ({ programId }) => programId)].map(append));
  return failed;
};

/** May run twice, and leaves what it has no time for; large changes wait for small ones. docs/behavior.md#events-and-changes */
export const fanOut = async (
  records: readonly DynamoDBRecord[],
  now: () => Date,
): Promise<DynamoDBRecord | undefined> => {
  const read = batchReads();
  const outboxOf = outboxes();
  const done = new Map<DynamoDBRecord, FannedOut>();
  const end = now().getTime() + beginMilliseconds;
  const work = async (record: DynamoDBRecord): Promise<void> => {
    if (now().getTime() > end) return;
    const made = await fanOutOne(record, read);
    const isSent = await sendOut(made, outboxOf);
    done.set(record, { ...made, failed: made.failed || !isSent });
  };
  const small = records.filter(isSmall);
  // What is handled at once shares its reads.
  for (let from = 0; from < small.length; from += maxSmallAtATime)
    await Promise.all(small.slice(from, from + maxSmallAtATime).map(work));
  await forEachConcurrent(
    records.filter((record) => !isSmall(record)),
    maxLargeAtATime,
    work,
  );
  const withoutFeed = await appendToFeeds([...done.values()], now);
  return records.find((record) => {
    const made = done.get(record);
    return !made || made.failed || (made.feed.length > 0 && withoutFeed.has(made.programId));
  });
};
