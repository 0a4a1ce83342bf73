import type { DeclaredOperation } from '../../shared/contract/operations.ts';
import { affiliateSamples } from './affiliates.ts';
import { auditSamples } from './audit-log.ts';
import { connectorSamples } from './connector.ts';
import { couponSamples } from './coupons.ts';
import { erasureSamples } from './erasures.ts';
import { eventSamples } from './events.ts';
import { exportSamples } from './exports.ts';
import { groupSamples } from './groups.ts';
import { linkSamples } from './links.ts';
import { payoutBatchSamples } from './payout-batches.ts';
import { portalLinkSamples } from './portal-links.ts';
import { programSamples } from './program.ts';
import { promotionalCodeSamples } from './promotional-codes.ts';
import { publicSamples } from './public.ts';
import { referralSamples } from './referrals.ts';
import { saleReviewSamples } from './sale-review.ts';
import { saleSamples } from './sales.ts';
import type { KeySample, Sample } from './sample.ts';
import { statisticSamples } from './statistics.ts';
import { webhookDeliverySamples } from './webhook-deliveries.ts';
import { webhookSamples } from './webhooks.ts';

export type OperationId = DeclaredOperation['id'];
/** The ids of the operations that take a key. */
export type KeyOperationId = Extract<DeclaredOperation, { auth: 'key' }>['id'];

/** One sample of every operation: the suites of security, examples, speed and the benches read it. */
export const samples: Readonly<
  Record<KeyOperationId, KeySample> & Record<Exclude<OperationId, KeyOperationId>, Sample>
> = {
  ...affiliateSamples,
  ...portalLinkSamples,
  ...groupSamples,
  ...referralSamples,
  ...saleSamples,
  ...saleReviewSamples,
  ...linkSamples,
  ...couponSamples,
  ...promotionalCodeSamples,
  ...payoutBatchSamples,
  ...webhookSamples,
  ...webhookDeliverySamples,
  ...eventSamples,
  ...auditSamples,
  ...erasureSamples,
  ...statisticSamples,
  ...exportSamples,
  ...programSamples,
  ...publicSamples,
  ...connectorSamples,
};

const keySamples: ReadonlyMap<string, KeySample> = new Map(
  Object.entries(samples).flatMap(([id, sample]) => ('foreign' in sample ? [[id, sample as KeySample]] : [])),
);

export const isKeyOperationId = (id: string): id is KeyOperationId => keySamples.has(id);
