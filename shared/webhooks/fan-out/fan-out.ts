import type { DynamoDBRecord } from 'aws-lambda';
import { eventsOf, makesEvents } from '../../../events/catalogue.ts';
import type { RecordEvent } from '../../../events/family.ts';
import { withNestedReads } from '../../../events/nested-reads.ts';
import type { QueueName } from '../../contract/needs.ts';
import { includesWebhooks } from '../../domain/programs/accounts.ts';
import { programs } from '../../domain/programs/repository.ts';
import { forEachConcurrent } from '../../platform/concurrency/for-each-concurrent.ts';
import { logError } from '../../platform/logs/log.ts';
import { createOutbox, type Outbox } from '../../platform/queue/outbox.ts';
import type { Outgoing } from '../../platform/queue/send-batch.ts';
import { isDeterministic, setAside } from '../../platform/queue/set-aside.ts';
import { type Change, changeOf } from '../../platform/table/change.ts';
import { writeAlone } from '../../platform/table/write-alone.ts';
import { firstAttempt } from '../delivery/delivery-message.ts';
import { newDelivery } from '../delivery/delivery-rules.ts';
import { deliveries, events, storedEvent } from '../delivery/repository.ts';
import { allWebhooks } from '../endpoints/repository.ts';
import { type StoredWebhook, wantsEvent } from '../endpoints/rules.ts';
import { type Job, jobsOf } from './background-jobs.ts';

/** The clocks of two Lambdas may differ by this much. */
const clockSkewMilliseconds = 2000;

type ProgramOfBatch = ReturnType<typeof withNestedReads>;

/** Read once per batch. A plan without webhooks has no endpoints to send to. */
const programReader = () => {
  const reading = new Map<string, Promise<[ProgramOfBatch | undefined, readonly StoredWebhook[]]>>();
  const readTogether = async (programId: string): Promise<[ProgramOfBatch | undefined, readonly StoredWebhook[]]> => {
    const [program, endpoints] = await Promise.all([programs.get(programId, programId), allWebhooks(programId)]);
    if (!program) return [undefined, []];
    return [withNestedReads(program), includesWebhooks(program.plan) ? endpoints : []];
  };
  return (programId: string) => {
    const response = reading.get(programId) ?? readTogether(programId);
    reading.set(programId, response);
    return response;
  };
};

/** Not events that were waiting for fan-out when the endpoint was created. */
const isFor = ({ type, timestamp }: RecordEvent, webhook: StoredWebhook): boolean =>
  webhook.active &&
  wantsEvent(webhook, type) &&
  Date.parse(webhook.createdAt) <= Date.parse(timestamp) + clockSkewMilliseconds;

/** A repeated change keeps its stored event; messages are sent again, because the earlier run may have died before. */
const storeEvent = async (
  programId: string,
  event: RecordEvent,
  endpoints: readonly StoredWebhook[],
): Promise<Outgoing[]> => {
  const made = endpoints.filter((webhook) => isFor(event, webhook)).map((webhook) => newDelivery(event, webhook.id));
  await Promise.all([
    writeAlone(events.createWrites(programId, storedEvent(event))),
    ...made.map((delivery) => writeAlone(deliveries.createWrites(programId, delivery))),
  ]);
  return made.map((delivery) => firstAttempt(programId, delivery));
};

const deliveriesFor = async (change: Change, read: ReturnType<typeof programReader>): Promise<Outgoing[]> => {
  if (!makesEvents(change)) return [];
  const [program, endpoints] = await read(change.programId);
  // A deleted program has no receivers.
  const events = program ? await eventsOf(change, program) : [];
  const outgoing = await Promise.all(events.map((event) => storeEvent(change.programId, event, endpoints)));
  return outgoing.flat();
};

const logFailure = ({ eventID, dynamodb }: DynamoDBRecord, error: unknown): void =>
  logError('change not fanned out', error, { streamEventId: eventID, sequenceNumber: dynamodb?.SequenceNumber });

type OutgoingJob = Outgoing & Pick<Job, 'queue'>;

interface FannedOut {
  jobs: OutgoingJob[];
  attempts: Outgoing[];
  failed: boolean;
}

const fanOutOne = async (record: DynamoDBRecord, read: ReturnType<typeof programReader>): Promise<FannedOut> => {
  let jobs: OutgoingJob[] = [];
  try {
    const change = changeOf(record);
    if (!change) return { jobs, attempts: [], failed: false };
    const asked = jobsOf(change);
    // A deleted program leaves only its own work.
    const isWanted = asked.length > 0 && (change.kind === 'PROGRAM' || (await read(change.programId))[0] !== undefined);
    if (isWanted) jobs = asked.map((job) => ({ ...job, groupId: change.programId }));
    return { jobs, attempts: await deliveriesFor(change, read), failed: false };
  } catch (error) {
    logFailure(record, error);
    // Background work does not wait for the event.
    if (isDeterministic(error)) return { jobs, attempts: [], failed: !(await setAside(record, error)) };
    return { jobs: [], attempts: [], failed: true };
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

const isSmall = ({ dynamodb }: DynamoDBRecord): boolean => (dynamodb?.SizeBytes ?? 0) <= maxSmallBytes;

/** May run twice; large changes wait for small ones of other programs. docs/behavior.md#events-and-changes */
export const fanOut = async (records: readonly DynamoDBRecord[]): Promise<DynamoDBRecord | undefined> => {
  const read = programReader();
  const outboxOf = outboxes();
  const failed = new Set<DynamoDBRecord>();
  const work = async (record: DynamoDBRecord): Promise<void> => {
    const made = await fanOutOne(record, read);
    const isSent = await sendOut(made, outboxOf);
    if (made.failed || !isSent) failed.add(record);
  };
  await Promise.all(records.filter(isSmall).map(work));
  await forEachConcurrent(
    records.filter((record) => !isSmall(record)),
    maxLargeAtATime,
    work,
  );
  return records.find((record) => failed.has(record));
};
