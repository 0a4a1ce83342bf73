import * as z from 'zod';

const generation = z.coerce.number().int().positive();
const count = z.coerce.number().int().nonnegative();

/** The concurrency that the queue of deliveries is read with: with less reserved, batches would be refused. */
const minDeliveryConcurrency = 80;

/** Words that Cognito refuses anywhere in the prefix of a domain. */
const wordsOfAws = ['aws', 'amazon', 'cognito'];

/** A domain of the team's own. */
const Domain = z.strictObject({
  name: z.hostname().lowercase(),
  /** A certificate in the stack's region. Without it one is requested, and proved by DNS. */
  certificateArn: z.string().startsWith('arn:').optional(),
  /** The Route 53 zone that holds the domain: its records are then made too. Without it, make them by hand. */
  hostedZone: z.strictObject({ id: z.string().min(1), name: z.hostname() }).optional(),
});

export const Settings = z.strictObject({
  /** Part of the stack's name. */
  stage: z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, 'must be lowercase letters, digits and hyphens, at most 20'),
  /** The account's quota of functions that run at once: an alarm rises at 80 % of it. */
  accountConcurrency: z.coerce.number().int().positive(),
  /** What happens to tables, secrets and logs when the stack is deleted, or an update would replace them. */
  removalPolicy: z.enum(['destroy', 'retain']),
  deletionProtection: z.boolean(),
  /** A new number creates a new, empty table. The old one is kept only where `removalPolicy` is `retain`. */
  recordsGeneration: generation,
  trafficGeneration: generation,
  /** Whether new code first gets a tenth of the requests for five minutes, and goes back if an alarm rises meanwhile. */
  gradualDeployment: z.boolean(),
  /** Whether X-Ray traces requests: at many requests it costs more than the functions. */
  tracing: z.boolean(),
  logRetentionDays: z.literal([7, 30, 90, 365]),
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
   * else the account runs; 0 reserves nothing. In all at most the account's quota less 100.
   */
  apiConcurrency: count,
  deliveryConcurrency: count.refine(
    (concurrency) => concurrency === 0 || concurrency >= minDeliveryConcurrency,
    `must be 0 or at least ${minDeliveryConcurrency}, which is how many the queue starts`,
  ),
  /** Hosts that webhooks may address by http, on any port and on loopback. docs/behavior.md#endpoint-urls */
  webhookExtraHosts: z.array(z.string().min(1)).readonly(),
  /** The segment of the connector's paths that names the platform. */
  connectorPlatform: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .refine((segment) => segment !== 'v1', 'is the main API'),
  /** Hosts that may connect to a program and get its code. docs/behavior.md#connecting-a-platform */
  connectHosts: z.array(z.string().min(1)).readonly(),
  /** Whether anybody may make an account, or only those whom the operator invites. */
  signUp: z.enum(['open', 'invited']),
  /** What the address of the sign-in pages begins with; unique in its region. Made from stage and account when absent. */
  signInDomainPrefix: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lowercase letters, digits and inner hyphens, at most 63')
    .refine((prefix) => !wordsOfAws.some((word) => prefix.includes(word)), `must not contain ${wordsOfAws.join(', ')}`)
    .optional(),
  /** The address that sign-in emails come from, verified in SES. Without it Cognito sends them itself, 50 a day. */
  signInEmail: z.email().optional(),
  /** Where integrators call the API, and where people open the web application. API Gateway's own address when absent. */
  apiDomain: Domain.optional(),
  appDomain: Domain.optional(),
  /** The waits between delivery attempts, in seconds; the product's own schedule when absent. */
  webhookRetrySeconds: z.array(z.coerce.number().nonnegative()).min(1).readonly().optional(),
  /** Who is told of alarms. Without it, alarms only show in CloudWatch. */
  alarmEmail: z.email().optional(),
});

/** What is decided at deploy time, and differs between stages. */
export type Settings = z.output<typeof Settings>;
/** The settings of a stage, as infra/stages.ts has them. */
export type StageSettings = Omit<Settings, 'stage'>;
