import type { Need, QueueName } from './needs.ts';

/**
 * One background worker. Like an operation it exists once: the queue with its dead letters, the Lambda
 * `functions/<id>.ts`, its permissions and its alarm follow from this value.
 */
export interface Worker {
  /** Named by what it does; also the name of its file in `functions/`. */
  readonly id: string;
  readonly trigger:
    | { readonly kind: 'stream'; readonly batchSize: number; readonly maximumRetryAttempts: number }
    | {
        readonly kind: 'queue';
        readonly queue: QueueName;
        readonly batchSize: number;
        /** At least six times the function's timeout, as AWS advises. */
        readonly visibilityTimeoutSeconds: number;
        readonly maximumReceives: number;
        readonly maximumConcurrency?: number;
      };
  readonly timeoutSeconds: number;
  readonly needs: readonly Need[];
  /** What users notice when this worker fails: the text of its alarm. Nobody adds a worker without saying it. */
  readonly errorImpact: string;
}

export const workers = [
  {
    id: 'fan-out-events',
    trigger: { kind: 'stream', batchSize: 100, maximumRetryAttempts: 20 },
    timeoutSeconds: 60,
    needs: [
      'PROGRAM:read',
      'AFFILIATE:read',
      'LINK:read',
      'COUPON:read',
      'PROMOTIONAL_CODE:read',
      'WEBHOOK:read',
      'EVENT:write',
      'DELIVERY:write',
      'deliveries:send',
      'code-connections:send',
    ],
    errorImpact: 'Changes are stored but their webhook events and background work are not started.',
  },
  {
    id: 'deliver-webhook',
    trigger: {
      kind: 'queue',
      queue: 'deliveries',
      batchSize: 10,
      visibilityTimeoutSeconds: 360,
      maximumReceives: 5,
      maximumConcurrency: 50,
    },
    timeoutSeconds: 60,
    needs: ['WEBHOOK:read', 'WEBHOOK:write', 'EVENT:read', 'DELIVERY:read', 'DELIVERY:write', 'deliveries:send'],
    errorImpact: 'Webhooks do not reach the receivers.',
  },
  {
    id: 'connect-promotional-code',
    trigger: {
      kind: 'queue',
      queue: 'code-connections',
      batchSize: 10,
      visibilityTimeoutSeconds: 180,
      maximumReceives: 5,
    },
    timeoutSeconds: 30,
    needs: ['LINK:read', 'PROMOTIONAL_CODE:read', 'LINK_CODE:read', 'LINK_CODE:write', 'code-connections:send'],
    errorImpact: "Promotional codes do not appear on their affiliate's links.",
  },
] as const satisfies readonly Worker[];
