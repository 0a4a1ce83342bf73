import { beforeAll, describe, expect, it } from 'vitest';
import { pascalCase } from '../../../infra/constructs/pascal-case.ts';
import { type Worker, workers } from '../../../shared/contract/workers.ts';
import { readable, resources } from './resources.ts';
import { settings, templateOf } from './template-of.ts';

type Metric = [...names: string[], shown: { stat: string; label?: string; yAxis?: string }];
interface Widget {
  type: string;
  width: number;
  height: number;
  properties: { title: string; metrics?: Metric[]; view: string; liveData?: boolean; query?: string };
}

const everyWorker: readonly Worker[] = workers;
let widgets: readonly Widget[];

beforeAll(() => {
  const [[, dashboard] = [], ...others] = resources(templateOf(settings.production), 'AWS::CloudWatch::Dashboard');
  expect(others).toEqual([]);
  expect(dashboard?.DashboardName).toBe('affiliate-program-prod');
  widgets = JSON.parse(readable(dashboard?.DashboardBody)).widgets;
});

/** A line for each metric of a graph: what it is of, how it is counted, how it is called and whether it has the right axis. */
const lines = (title: string): string[] =>
  (widgets.find(({ properties }) => properties.title === title)?.properties.metrics ?? []).map((metric) => {
    const { stat, label, yAxis } = metric.at(-1) as { stat: string; label?: string; yAxis?: string };
    return [metric.slice(0, -1).join(' '), stat, ...(label ? [`"${label}"`] : []), ...(yAxis ? [yAxis] : [])].join(
      ', ',
    );
  });

describe('the dashboard', () => {
  const queues = [
    ['deliveries', 'DeliveriesQueue'],
    ['redeliveries', 'RedeliveriesQueue'],
    ['code-connections', 'CodeConnectionsQueue'],
    ['deletions', 'DeletionsQueue'],
    ['automatic-codes', 'AutomaticCodesQueue'],
    ['payout-batches', 'PayoutBatchesQueue'],
    ['clicks', 'ClicksQueue'],
    ['imports', 'ImportsQueue'],
    ['exports', 'ExportsQueue'],
    ['erasures', 'ErasuresQueue'],
    ['mails', 'MailsQueue'],
    ['mail-feedback', 'MailFeedbackQueue'],
    ['first-sales', 'FirstSalesQueue'],
    ['portal-requests', 'PortalRequestsQueue'],
    ...everyWorker.filter(({ trigger }) => trigger.kind === 'schedule').map(({ id }) => [id, `${pascalCase(id)}Queue`]),
  ];
  const own = 'service affiliate-program-prod';

  it.each([
    {
      title: 'Requests and errors',
      metrics: [
        'AWS/ApiGateway Count ApiId <Api>, SampleCount, "Requests"',
        'AWS/ApiGateway 4xx ApiId <Api>, Sum, "4xx"',
        'AWS/ApiGateway 5xx ApiId <Api>, Sum, "5xx"',
      ],
    },
    {
      title: 'Latency (milliseconds)',
      metrics: ['p50', 'p90', 'p99'].map((part) => `AWS/ApiGateway Latency ApiId <Api>, ${part}, "${part}"`),
    },
    {
      title: 'Webhooks: deliveries, and lag of the first attempt (milliseconds)',
      metrics: [
        `AffiliateProgram WebhooksDelivered ${own}, Sum`,
        `AffiliateProgram WebhookAttemptsFailed ${own}, Sum`,
        `AffiliateProgram WebhookFirstAttemptLag ${own}, p50, right`,
        `AffiliateProgram WebhookFirstAttemptLag ${own}, p99, right`,
      ],
    },
    {
      title: 'Messages that wait in queues',
      metrics: queues.map(
        ([label, queue]) =>
          `AWS/SQS ApproximateNumberOfMessagesVisible QueueName <${queue}.QueueName>, Maximum, "${label}"`,
      ),
    },
    {
      title: 'Functions at once, throttles and errors (whole account)',
      metrics: [
        'AWS/Lambda ConcurrentExecutions, Maximum',
        'AWS/Lambda Throttles, Sum, right',
        'AWS/Lambda Errors, Sum, right',
      ],
    },
    {
      title: 'Throttled reads and writes of tables',
      metrics: ['Records', 'Traffic'].flatMap((table) =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
          (name) => `AWS/DynamoDB ${name} TableName <${table}>, Sum, "${table} ${name}"`,
        ),
      ),
    },
    {
      title: 'Cost: units of DynamoDB',
      metrics: ['Records', 'Traffic'].flatMap((table) => [
        `AWS/DynamoDB ConsumedReadCapacityUnits TableName <${table}>, Sum, "${table} read"`,
        `AWS/DynamoDB ConsumedWriteCapacityUnits TableName <${table}>, Sum, "${table} write"`,
      ]),
    },
    {
      title: 'Cost: invocations, milliseconds of functions, messages',
      metrics: [
        'AWS/Lambda Invocations, Sum, "Invocations"',
        ...queues.map(
          ([label, queue]) => `AWS/SQS NumberOfMessagesSent QueueName <${queue}.QueueName>, Sum, "${label} sent"`,
        ),
        'AWS/Lambda Duration, Sum, "Milliseconds", right',
      ],
    },
  ])('shows $title', ({ title, metrics }) => {
    expect(lines(title)).toEqual(metrics);
  });

  it('shows requests, errors and latency of each operation', () => {
    const [log, ...others] = widgets.filter(({ type }) => type === 'log');
    expect(others).toEqual([]);
    expect(log?.properties).toMatchObject({
      title: 'By operation: requests, errors, latency in milliseconds',
      view: 'table',
      query: [
        "SOURCE '<ApiAccessLogs>' ",
        ' stats count(*) as requests, sum(status >= 500) as errors, pct(latency, 50) as p50, pct(latency, 99) as p99 by method, route\n',
        ' sort requests desc',
      ].join('|'),
    });
  });

  it('has two graphs to a row, with what is measured right now, and the table below the first of them', () => {
    const graph = { type: 'metric', width: 12, height: 6 };
    expect(widgets.map(({ type, width, height }) => ({ type, width, height }))).toEqual([
      graph,
      graph,
      { type: 'log', width: 24, height: 8 },
      ...Array.from({ length: 6 }, () => graph),
    ]);
    for (const { type, properties } of widgets) if (type === 'metric') expect(properties.liveData).toBe(true);
  });
});
