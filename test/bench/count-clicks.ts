import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { SQSEvent } from 'aws-lambda';
import { laterWorkers } from '../../shared/contract/later-workers.ts';
import type { ClickMessage } from '../../shared/domain/tracking/click-message.ts';
import { startSecrets } from '../support/database.ts';
import { createDomainTables } from '../support/domain-tables.ts';
import { startGuardedTables } from '../support/guarded-table.ts';
import { sqsRecord } from '../support/sqs-record.ts';
import { watchLoad } from './bench-stack.ts';

// Run by hand: `npx node test/bench/count-clicks.ts`. The worker that counts clicks, with as many batches at once and as large as
// Lambda gives it, without HTTP and queues, while concurrent transactions on one item conflict. All clicks are of one link, and one
// in a hundred comes twice. Exit code 1 where a click is lost, counted twice or left to a later batch, or where fewer than 1,000
// are counted a second.
//   --clicks N     how many (60,000)
//   --latency MS   how much longer each call to the database takes (8)
const { values: options } = parseArgs({
  options: { clicks: { type: 'string', default: '60000' }, latency: { type: 'string', default: '8' } },
});
const count = Number(options.clicks);
const leastPerSecond = 1000;
const worker = laterWorkers.find(({ id }) => id === 'count-clicks');
if (worker?.trigger.kind !== 'queue') throw new Error('The worker that counts clicks has no queue');
const { batchSize, maximumConcurrency } = worker.trigger;

const eventOf = (batch: readonly ClickMessage[]): SQSEvent => ({
  Records: batch.map((click, at) => sqsRecord({ messageId: String(at), body: JSON.stringify(click) })),
});

const names = { records: 'records', traffic: 'traffic' };
const secrets = await startSecrets();
const tables = await startGuardedTables(createDomainTables(names));
try {
  await tables.setFaults({ conflictsInFlight: true, latencyMilliseconds: Number(options.latency) });
  Object.assign(process.env, tables.environment, secrets.environment, {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
    RECORDS_TABLE: names.records,
    TRAFFIC_TABLE: names.traffic,
  });
  const { handler } = await import('../../functions/count-clicks.ts');
  const { links } = await import('../../shared/domain/affiliates/link-repository.ts');
  const { createAffiliate } = await import('../../shared/domain/affiliates/create-affiliate.ts');
  const { createAffiliate: operation } = await import('../../shared/contract/affiliates.ts');
  const { storeProgram } = await import('../support/webhooks.ts');
  const { bodyOf } = await import('../support/domain.ts');
  const now = new Date();
  const { id: programId } = await storeProgram();
  const body = bodyOf(operation, { firstName: 'Amara', email: 'a@example.com', affiliateLink: 'amara' });
  const affiliate = await createAffiliate(programId, body, now);
  const [linkId = ''] = Object.keys(affiliate.links);
  const clicks = Array.from({ length: count }, (): ClickMessage => {
    const visitor = randomUUID();
    return { programId, linkId, affiliateId: affiliate.id, visitor, at: now.toISOString(), referrer: null };
  });
  const messages = clicks.flatMap((click, at) => (at % 100 === 0 ? [click, click] : [click]));
  const batches: ClickMessage[][] = [];
  for (let at = 0; at < messages.length; at += batchSize) batches.push(messages.slice(at, at + batchSize));
  let failed = 0;
  const load = watchLoad();
  const begun = performance.now();
  const countInTurn = async (): Promise<void> => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const { batchItemFailures } = await handler(eventOf(batch));
      failed += batchItemFailures.length;
    }
  };
  await Promise.all(Array.from({ length: maximumConcurrency }, countInTurn));
  const perSecond = Math.round((count / (performance.now() - begun)) * 1000);
  const counted = (await links.get(programId, linkId))?.clicks;
  const { calls, conflicts } = await tables.faultCounts();
  console.log({ clicks: count, counted, failed, 'a second': perSecond, calls, conflicts, ...load() });
  if (counted !== count || failed > 0 || perSecond < leastPerSecond) process.exitCode = 1;
} finally {
  await tables.stop();
  secrets.stop();
}
