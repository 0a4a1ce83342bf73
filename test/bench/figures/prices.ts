import { functionNames } from '../../../infra/bundle.ts';
import { secretNames } from '../../../shared/contract/needs.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import type { BackgroundFigures } from './background.ts';
import type { ClickFigures } from './clicks.ts';
import type { OperationFigures } from './operations.ts';

/** List prices of us-east-1 in dollars, without free tiers, as of November 2026. Check them before you rely on a sum. */
export const prices = {
  writeUnits: 0.625 / 1e6,
  readUnits: 0.125 / 1e6,
  apiRequests: 1 / 1e6,
  invocations: 0.2 / 1e6,
  /** arm64. */
  gigabyteSeconds: 0.0000133334,
  queueRequests: 0.4 / 1e6,
  gigabytesOfLogs: 0.5,
  /** With point-in-time recovery, which both tables of a stage that keeps data have. */
  gigabytesStored: 0.25 + 0.2,
  secretsMonth: 0.4,
  /** Each metric that an alarm looks at. */
  alarmMetricsMonth: 0.1,
  dashboardsMonth: 3,
  ownMetricsMonth: 0.3,
};

const everyWorker: readonly Worker[] = workers;
const scheduledWorkers = everyWorker.filter(({ trigger }) => trigger.kind === 'schedule').length;
/** What `prod` has whatever it is used for. test/infra/fixed-cost.template.test.ts compares it with the template. */
export const fixed = {
  secrets: secretNames.length + 1,
  alarmMetrics: 2 * functionNames().length + 2 * scheduledWorkers + 69,
  dashboards: 1,
  ownMetrics: 4,
};

/** What a call stands for: most shops validate a code in the cart, some of the carts are bought, and pages show affiliates. */
export const mix = [
  { operation: 'validatePromotionalCode', request: 'uncapped', share: 0.6 },
  { operation: 'createSale', request: 'by code', share: 0.2 },
  { operation: 'readAffiliate', request: 'by id', share: 0.2 },
] as const;

/** What is assumed where it cannot be counted here. */
export const assumptions = {
  millisecondsOfRoundTrip: 8,
  ownMilliseconds: 4,
  gigabytes: 1,
  /** Of a worker's invocation, all of its changes together. */
  changesInBatch: 10,
  kilobytesOfLogs: 0.6,
  /** A sale with its unique values, event, delivery, audit entry and index entries. */
  kilobytesOfSale: 8,
  millisecondsOfReceiver: 150,
};

export interface UnitsOfCall {
  readUnits: number;
  writeUnits: number;
  seconds: number;
  invocations: number;
  queueRequests: number;
}

const workOfSale = ['Fan-out of a sale by a code', 'Totals of a sale by a code', 'Delivery of a sale by a code'];

/** What one call of the mix consumes on average, the work in the background and one webhook for each sale included. */
export const unitsOfCall = (
  operations: readonly OperationFigures[],
  background: readonly BackgroundFigures[],
): UnitsOfCall => {
  const { millisecondsOfRoundTrip, ownMilliseconds, changesInBatch, millisecondsOfReceiver } = assumptions;
  const sum: UnitsOfCall = { readUnits: 0, writeUnits: 0, seconds: 0, invocations: 0, queueRequests: 0 };
  for (const { operation, request, share } of mix) {
    const found = operations.find((one) => one.operation === operation && one.request === request);
    if (!found) throw new Error(`${operation}, ${request} was not measured`);
    sum.readUnits += share * found.readUnits;
    sum.writeUnits += share * found.writeUnits;
    sum.seconds += (share * (found.roundTrips * millisecondsOfRoundTrip + ownMilliseconds)) / 1000;
    sum.invocations += share;
  }
  const saleShare = mix.find(({ operation }) => operation === 'createSale')?.share ?? 0;
  for (const work of workOfSale) {
    const calls = background.find((one) => one.work === work)?.calls;
    if (!calls) throw new Error(`${work} was not measured`);
    const isDelivery = work.startsWith('Delivery');
    const milliseconds = calls.roundTrips * millisecondsOfRoundTrip + (isDelivery ? millisecondsOfReceiver : 0);
    sum.readUnits += saleShare * calls.readUnits;
    sum.writeUnits += saleShare * calls.writeUnits;
    sum.seconds += (saleShare * milliseconds) / changesInBatch / 1000;
    sum.invocations += saleShare / changesInBatch;
  }
  // A message is sent, received and deleted, ten at a time.
  sum.queueRequests += (saleShare * 3) / changesInBatch;
  return sum;
};

/** Dollars of one month with so many calls. */
export const costOfMonth = (units: UnitsOfCall, calls: number): { what: string; dollars: number }[] => {
  const { gigabytes, kilobytesOfLogs, kilobytesOfSale } = assumptions;
  const { secrets, alarmMetrics, dashboards, ownMetrics } = fixed;
  const saleShare = mix.find(({ operation }) => operation === 'createSale')?.share ?? 0;
  return [
    { what: 'API Gateway', dollars: calls * prices.apiRequests },
    {
      what: 'Lambda',
      dollars: calls * (units.invocations * prices.invocations + units.seconds * gigabytes * prices.gigabyteSeconds),
    },
    { what: 'DynamoDB, writes', dollars: calls * units.writeUnits * prices.writeUnits },
    { what: 'DynamoDB, reads', dollars: calls * units.readUnits * prices.readUnits },
    {
      what: "DynamoDB, a year's sales stored, with recovery",
      dollars: ((calls * saleShare * 12 * kilobytesOfSale) / 1e6) * prices.gigabytesStored,
    },
    { what: 'SQS', dollars: calls * units.queueRequests * prices.queueRequests },
    { what: 'Logs', dollars: ((calls * units.invocations * kilobytesOfLogs) / 1e6) * prices.gigabytesOfLogs },
    { what: 'Secrets', dollars: secrets * prices.secretsMonth },
    { what: 'Alarms', dollars: alarmMetrics * prices.alarmMetricsMonth },
    { what: 'CloudWatch dashboard', dollars: dashboards * prices.dashboardsMonth },
    { what: 'Own metrics', dollars: ownMetrics * prices.ownMetricsMonth },
  ];
};

/** Dollars of a million clicks that are counted, in batches of a size. */
export const costOfMillionClicks = (
  { redirect }: ClickFigures,
  { batch, readUnits, writeUnits }: ClickFigures['counting'][number],
): { what: string; dollars: number }[] => {
  const { millisecondsOfRoundTrip, ownMilliseconds, gigabytes } = assumptions;
  // The redirect reads the table, then sends the message. The worker's milliseconds are of a batch, and so are its requests.
  const redirectSeconds = (2 * millisecondsOfRoundTrip + ownMilliseconds) / 1000;
  const workerSeconds = (3 * millisecondsOfRoundTrip + ownMilliseconds) / 1000 / batch;
  const lambda =
    (1 + 1 / batch) * prices.invocations + (redirectSeconds + workerSeconds) * gigabytes * prices.gigabyteSeconds;
  // A message is sent alone, and received and deleted with up to nine others.
  const queueRequests = 1 + 2 / Math.min(batch, 10);
  const dollars = {
    'API Gateway': prices.apiRequests,
    Lambda: lambda,
    'DynamoDB, writes': writeUnits * prices.writeUnits,
    'DynamoDB, reads': (redirect.readUnits + readUnits) * prices.readUnits,
    SQS: queueRequests * prices.queueRequests,
  };
  return Object.entries(dollars).map(([what, one]) => ({ what, dollars: one * 1e6 }));
};
