import { afterEach, expect, it, vi } from 'vitest';
import type { Outcome } from '../../shared/webhooks/delivery/deliver.ts';
import { deliveryMetrics } from '../../shared/webhooks/delivery/delivery-metrics.ts';

afterEach(() => vi.unstubAllEnvs());

const late: Outcome = { delivered: true, lagMilliseconds: 1500, deactivated: false };
const prompt: Outcome = { delivered: true, lagMilliseconds: 20, deactivated: false };
const gone: Outcome = { delivered: false, lagMilliseconds: 30, deactivated: true };
const retried: Outcome = { delivered: false, lagMilliseconds: undefined, deactivated: false };

/** What is printed when that was counted. */
const printedBy = (...outcomes: (Outcome | undefined)[]): string[] => {
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'AffiliateProgram');
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'affiliate-program-test');
  const printed: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const metrics = deliveryMetrics();
  for (const outcome of outcomes) metrics.count(outcome);
  metrics.publish();
  metrics.publish();
  vi.restoreAllMocks();
  return printed;
};

it('a batch of deliveries is one line that CloudWatch counts, filed under the stack and nothing finer', () => {
  const printed = printedBy(late, undefined, prompt, gone, retried);
  expect(printed).toHaveLength(1);
  expect(JSON.parse(printed[0] ?? '')).toEqual({
    _aws: {
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [
        {
          Namespace: 'AffiliateProgram',
          Dimensions: [['service']],
          Metrics: expect.arrayContaining([
            { Name: 'WebhooksDelivered', Unit: 'Count' },
            { Name: 'WebhookAttemptsFailed', Unit: 'Count' },
            { Name: 'WebhookEndpointsDeactivated', Unit: 'Count' },
            { Name: 'WebhookFirstAttemptLag', Unit: 'Milliseconds' },
          ]),
        },
      ],
    },
    service: 'affiliate-program-test',
    WebhooksDelivered: [1, 1],
    WebhookAttemptsFailed: [1, 1],
    WebhookEndpointsDeactivated: 1,
    WebhookFirstAttemptLag: [1500, 20, 30],
  });
});

it('a batch in which no attempt was made prints nothing', () => {
  expect(printedBy(undefined)).toEqual([]);
});
