import { bounds } from '../shared/contract/bounds.ts';
import type { StageSettings } from './settings-schema.ts';

/** What every stage begins with. infra/settings-schema.ts describes each setting. */
const defaults = {
  signUp: 'open',
  rateLimitReads: 600,
  rateLimitWrites: 300,
  formLimit: bounds.formsPerMinute,
  accountConcurrency: 1000,
  throttleRate: 0,
  throttleBurst: 0,
  apiConcurrency: 0,
  deliveryConcurrency: 0,
  workerConcurrency: 'shared',
  webhookExtraHosts: [],
  connectorPlatform: 'automation',
  connectHosts: [],
  removalPolicy: 'destroy',
  deletionProtection: false,
  recordsGeneration: 1,
  trafficGeneration: 1,
  gradualDeployment: false,
  tracing: false,
  logRetentionDays: 30,
} as const;

const loopback = ['localhost', '127.0.0.1', '[::1]'];

const dev = { ...defaults, throttleRate: 100, throttleBurst: 200 } satisfies StageSettings;

const prod = {
  ...defaults,
  signUp: 'invited',
  removalPolicy: 'retain',
  deletionProtection: true,
  gradualDeployment: true,
  logRetentionDays: 365,
  throttleRate: 1000,
  throttleBurst: 2000,
  apiConcurrency: 660,
  deliveryConcurrency: 100,
  workerConcurrency: 'reserved',
} satisfies StageSettings;

/** The stage of `npm start` and of the tests: webhooks and platforms on this machine are allowed. */
const local = {
  ...defaults,
  logRetentionDays: 7,
  mailFrom: 'programs@local.example',
  webhookExtraHosts: loopback,
  connectHosts: loopback,
} satisfies StageSettings;

/**
 * Every stage with its settings: `npm run deploy -- -c stage=<name>` deploys one as the stacks `affiliate-program-<name>`
 * and `affiliate-program-<name>-data`.
 * Add a stage by adding an entry, for example `staging: { ...prod, alarmEmail: 'ops@example.com' }`.
 * The reservations of `prod` fill an account of 1,000: a second such stage needs an `account` of its own, or fewer.
 */
export const stages: Readonly<Record<string, StageSettings>> = { local, dev, prod };
