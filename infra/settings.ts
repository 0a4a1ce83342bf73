import * as z from 'zod';
import { bounds } from '../shared/contract/bounds.ts';

const count = z.coerce.number().int().nonnegative();

/** The concurrency that the queue of deliveries is read with: with less reserved, batches would be refused. */
const minDeliveryConcurrency = 80;

const Settings = z.strictObject({
  stage: z.enum(['local', 'dev', 'prod']),
  /** What happens to tables and logs when the stack is deleted. */
  removalPolicy: z.enum(['destroy', 'retain']),
  deletionProtection: z.boolean(),
  logRetentionDays: z.literal([7, 30, 365]),
  /** Requests per minute of one key to one endpoint with one method. docs/behavior.md#rate-limits */
  rateLimitReads: z.coerce.number().int().positive(),
  rateLimitWrites: z.coerce.number().int().positive(),
  /** Forms of the web application that one account may send a minute. */
  formLimit: z.coerce.number().int().positive(),
  /** Requests a second that the API takes from everybody together, and how many at once; 0 for the account's own limits. */
  throttleRate: count,
  throttleBurst: count,
  /**
   * How many requests each function of the API, and how many batches the delivery of webhooks, may run at once, whatever
   * else the account runs; 0 reserves nothing. In all at most what the account has (1,000) less 100.
   */
  apiConcurrency: count,
  deliveryConcurrency: count.refine(
    (concurrency) => concurrency === 0 || concurrency >= minDeliveryConcurrency,
    `must be 0 or at least ${minDeliveryConcurrency}, which is how many the queue starts`,
  ),
  /** Hosts that webhooks may address by http, on any port and on loopback. docs/behavior.md#endpoint-urls */
  webhookExtraHosts: z.array(z.string().min(1)),
  /** The segment of the connector's paths that names the platform. */
  connectorPlatform: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .refine((segment) => segment !== 'v1', 'is the main API'),
  /** Hosts that may connect to a program and get its code. docs/behavior.md#connecting-a-platform */
  connectHosts: z.array(z.string().min(1)),
  /** Whether anybody may make an account, or only those whom the operator invites. */
  signUp: z.enum(['open', 'invited']),
  /** What the address of the sign-in pages begins with; unique in its region. Made from stage and account when absent. */
  signInDomainPrefix: z
    .string()
    .regex(/^[a-z0-9-]{1,63}$/)
    .optional(),
  /** The waits between delivery attempts; the product's own schedule when absent. */
  webhookRetrySeconds: z.array(z.coerce.number().nonnegative()).min(1).optional(),
  /** Who is told of alarms. Without it, alarms only show in CloudWatch. */
  alarmEmail: z.email().optional(),
});

/** What is decided at deploy time, and differs between stages. */
export type Settings = z.output<typeof Settings>;
type Stage = Settings['stage'];

const defaults = {
  signUp: 'open' as const,
  rateLimitReads: 600,
  rateLimitWrites: 300,
  throttleRate: 0,
  throttleBurst: 0,
  apiConcurrency: 0,
  deliveryConcurrency: 0,
  formLimit: bounds.formsPerMinute,
  webhookExtraHosts: [],
  connectorPlatform: 'automation',
  connectHosts: [],
};

const stages: Readonly<Record<Stage, Omit<Settings, 'stage'>>> = {
  local: {
    ...defaults,
    removalPolicy: 'destroy',
    deletionProtection: false,
    logRetentionDays: 7,
    webhookExtraHosts: ['localhost', '127.0.0.1', '[::1]'],
    connectHosts: ['localhost', '127.0.0.1', '[::1]'],
  },
  dev: {
    ...defaults,
    removalPolicy: 'destroy',
    deletionProtection: false,
    logRetentionDays: 30,
    throttleRate: 100,
    throttleBurst: 200,
  },
  prod: {
    ...defaults,
    signUp: 'invited',
    removalPolicy: 'retain',
    deletionProtection: true,
    logRetentionDays: 365,
    throttleRate: 1000,
    throttleBurst: 2000,
    apiConcurrency: 30,
    deliveryConcurrency: 100,
  },
};

const isStage = (name: string): name is Stage => Object.hasOwn(stages, name);

/** The environment variable of each setting that a stage may set otherwise. */
export const settingVariables = {
  rateLimitReads: 'RATE_LIMIT_READS',
  rateLimitWrites: 'RATE_LIMIT_WRITES',
  throttleRate: 'THROTTLE_RATE',
  throttleBurst: 'THROTTLE_BURST',
  apiConcurrency: 'API_CONCURRENCY',
  deliveryConcurrency: 'DELIVERY_CONCURRENCY',
  formLimit: 'FORM_LIMIT',
  webhookExtraHosts: 'WEBHOOK_EXTRA_HOSTS',
  webhookRetrySeconds: 'WEBHOOK_RETRY_SECONDS',
  connectorPlatform: 'CONNECTOR_PLATFORM',
  connectHosts: 'CONNECT_HOSTS',
  signUp: 'SIGN_UP',
  signInDomainPrefix: 'SIGN_IN_DOMAIN_PREFIX',
  alarmEmail: 'ALARM_EMAIL',
} as const satisfies Partial<Record<keyof Settings, string>>;
const lists: readonly string[] = ['webhookExtraHosts', 'webhookRetrySeconds', 'connectHosts'];
const entriesOf = (list: string): string[] =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/**
 * The settings of the stage that STAGE names (`dev` when unset). The variables of single settings win over the stage's
 * values; lists are comma-separated.
 */
export const readSettings = (environment: Readonly<Record<string, string | undefined>>): Settings => {
  const stage = environment.STAGE || 'dev';
  if (!isStage(stage)) throw new Error(`The stage is one of ${Object.keys(stages).join(', ')}, not '${stage}'`);
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
  throw new Error(`These deploy-time settings are not valid:\n${z.prettifyError(settings.error)}`);
};
