import { type Worker, workers } from '../../shared/contract/workers.ts';

type Budgets = Readonly<Record<string, readonly [kilobytes: number, builtInModules: number]>>;

const everyWorker: readonly Worker[] = workers;
/** Nobody waits for the start of a scheduled worker: one budget is enough for all. */
const ofScheduledWorkers: Budgets = Object.fromEntries(
  everyWorker.flatMap(({ id, trigger }) => (trigger.kind === 'schedule' ? [[id, [480, 16]]] : [])),
);

/** Of a function that has no budget of its own yet. */
export const usualBudget = [440, 14] as const;

/** What a function may bring to its cold start: KB of its bundle, and built-in modules that the bundle names. */
export const bundleBudgets: Budgets = {
  ...ofScheduledWorkers,
  affiliates: [441, 13],
  'connect-promotional-code': [392, 12],
  'connector-test': [370, 13],
  'connector-token': [360, 13],
  'connector-webhooks': [437, 13],
  coupons: [410, 13],
  'create-automatic-codes': [412, 12],
  'deliver-webhook': [470, 16],
  docs: [230, 5],
  'erase-person': [492, 14],
  events: [380, 13],
  // These have the client of the bucket.
  'export-program': [667, 16],
  exports: [555, 16],
  'fan-out-events': [491, 12],
  'finish-deletion': [620, 15],
  // With what makes affiliates.
  'handle-portal-request': [500, 14],
  health: [330, 12],
  links: [401, 13],
  'not-found': [77, 4],
  'openapi-json': [180, 5],
  'payout-batches': [423, 13],
  'prepare-payout-batch': [448, 12],
  program: [370, 13],
  redirect: [61, 8],
  'ref-js': [70, 8],
  statistics: [408, 13],
  'track-clicks': [440, 14],
  'count-clicks': [400, 12],
  'promotional-codes': [428, 13],
  'promotional-codes-bulk': [422, 13],
  'promotional-codes-validate': [412, 13],
  referrals: [455, 14],
  'retry-deliveries': [380, 12],
  'run-import': [784, 16],
  sales: [500, 14],
  'update-totals': [414, 12],
  'asset-image': [325, 16],
  'web-assets': [712, 17],
  'web-imports': [812, 18],
  'web-docs': [1051, 4],
  'web-exports': [682, 16],
  'web-portal': [722, 16],
  'web-programs': [788, 13],
  // With the client of SES and what renders pages.
  'send-mail': [513, 16],
  // With what renders mails, for their preview.
  'web-records': [899, 16],
  'web-sign-in': [522, 13],
  'web-webhooks': [702, 16],
  'webhook-deliveries': [375, 13],
  'webhook-deliveries-retry': [410, 13],
  webhooks: [435, 13],
  'webhooks-rotate-secret': [430, 13],
  'webhooks-test': [503, 13],
};
