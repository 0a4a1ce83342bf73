import { workers } from '../../shared/contract/workers.ts';

/** What the rehearsal does not bring about. The tests of the local stack use each of them. */
const left: readonly string[] = [
  // Subscriptions of platforms, and an endpoint that misses events without a delivery.
  ...['WEBHOOK:delete', 'TOMBSTONE:create'].map((need) => `deliver-webhook ${need}`),
  ...['EVENT:list', 'DELIVERY:create', 'DELIVERY:change'].map((need) => `retry-deliveries ${need}`),
  // Races, sales of a link, and more than fits one message.
  ...['LINK:check', 'code-connections:send'].map((need) => `connect-promotional-code ${need}`),
  'update-totals LINK:change',
  // The programs of the rehearsal are on BUSINESS, whose records are not counted.
  'create-automatic-codes records:count',
  'create-automatic-codes automatic-codes:send',
  'prepare-payout-batch ADJUSTMENT:delete',
  // A file with links or so many rows that it takes several steps, an import that is cancelled, and a program on the FREE plan.
  ...['LINK:change', 'records:count', 'imports:send', 'PAYOUT_BATCH:list'].map((need) => `run-import ${need}`),
  // An attempt that fails, payouts of an affiliate who was deleted since, and sales of a link.
  ...['exports:send', 'TOMBSTONE:read', 'LINK:read'].map((need) => `export-program ${need}`),
  // A coupon that is deleted while it pays, a sale with a click, and the second look for affiliates of a deleted group.
  'prepare-payout-batch TOMBSTONE:read',
  'update-totals STATISTIC:read',
  'finish-deletion GROUP:change',
  // A deleted program with records of every kind, and sales that stay without their referral.
  ...['REFERRAL', 'ADJUSTMENT', 'PAYOUT_BATCH', 'PAYOUT', 'WEBHOOK', 'MEMBER', 'TOMBSTONE', 'ASSET'].map(
    (kind) => `finish-deletion ${kind}:delete`,
  ),
  'finish-deletion asset-images:delete',
  ...['REFERRAL:read', 'REFERRAL:change', 'SALE:change', 'ADJUSTMENT:read', 'ADJUSTMENT:create', 'AFFILIATE:read'].map(
    (need) => `finish-deletion ${need}`,
  ),
];

/** Of the person who is erased there is an affiliate with a code, and no customer. */
const erasuresLeftOut = workers
  .filter(({ id }) => id === 'erase-person')
  .flatMap(({ id, needs }) => needs.map((need) => `${id} ${need}`))
  .filter((name) => !/:list|click-ids|ERASURE:(read|change)|AFFILIATE:/.test(name));

/**
 * No stage of the rehearsal has `mailFrom`: the CloudFormation of the emulator makes identities of SES without the records of
 * DKIM, which the outputs of the stack name.
 */
const mailsLeftOut: readonly string[] = [
  ...workers
    .filter(({ id }) => id === 'send-mail' || id === 'handle-portal-request')
    .flatMap(({ id, needs }) => needs.map((need) => `${id} ${need}`)),
  'fan-out-events first-sales:send',
  'fan-out-events mails:send',
  'mail-first-sale mails:send',
  'prepare-payout-batch mails:send',
  'prepare-payout-batch PROGRAM:read',
];

export const needsLeftOut: readonly string[] = [...left, ...erasuresLeftOut, ...mailsLeftOut];
