import * as z from 'zod';
import { Settings } from './settings-schema.ts';
import { stages } from './stages.ts';

export type { Settings } from './settings-schema.ts';

/** The environment variables that win over a stage's own settings, for one deployment or from CI. */
export const settingVariables = {
  rateLimitReads: 'RATE_LIMIT_READS',
  rateLimitWrites: 'RATE_LIMIT_WRITES',
  throttleRate: 'THROTTLE_RATE',
  throttleBurst: 'THROTTLE_BURST',
  accountConcurrency: 'ACCOUNT_CONCURRENCY',
  apiConcurrency: 'API_CONCURRENCY',
  deliveryConcurrency: 'DELIVERY_CONCURRENCY',
  workerConcurrency: 'WORKER_CONCURRENCY',
  formLimit: 'FORM_LIMIT',
  webhookExtraHosts: 'WEBHOOK_EXTRA_HOSTS',
  webhookRetrySeconds: 'WEBHOOK_RETRY_SECONDS',
  connectorPlatform: 'CONNECTOR_PLATFORM',
  connectHosts: 'CONNECT_HOSTS',
  signUp: 'SIGN_UP',
  recordsGeneration: 'RECORDS_GENERATION',
  trafficGeneration: 'TRAFFIC_GENERATION',
  signInDomainPrefix: 'SIGN_IN_DOMAIN_PREFIX',
  mailFrom: 'MAIL_FROM',
  alarmEmail: 'ALARM_EMAIL',
} as const satisfies Partial<Record<keyof Settings, string>>;
const lists: readonly string[] = ['webhookExtraHosts', 'webhookRetrySeconds', 'connectHosts'];
const entriesOf = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/**
 * The settings of the stage that STAGE names (`dev` when unset). Environment variables win over the stage's
 * own values; their lists are comma-separated.
 */
export const readSettings = (environment: Readonly<Record<string, string | undefined>>): Settings => {
  const stage = environment.STAGE || 'dev';
  if (!Object.hasOwn(stages, stage))
    throw new Error(`infra/stages.ts has the stages ${Object.keys(stages).join(', ')}, and none called '${stage}'`);
  const overrides = Object.fromEntries(
    Object.entries(settingVariables).flatMap(([setting, variable]) => {
      // Empty is what CI sets for a variable that it does not have.
      const given = environment[variable]?.trim();
      if (!given) return [];
      return [[setting, lists.includes(setting) ? entriesOf(given) : given]];
    }),
  );
  const settings = Settings.safeParse({ stage, ...stages[stage], ...overrides });
  if (settings.success) return settings.data;
  throw new Error(`The settings of stage '${stage}' are not valid:\n${z.prettifyError(settings.error)}`);
};
