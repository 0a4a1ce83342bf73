import * as z from 'zod';

/** A whole number of a range, also from an environment variable. */
const whole = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .union([z.number(), z.string().regex(/^\d+$/, message).transform(Number)], message)
    .pipe(z.int(message).min(least, message).max(most, message));
};
const generation = whole(1, 1000);
const requestsPerMinute = whole(1, 1_000_000);
/** Of a function, as Lambda counts. */
const reservation = whole(0, 10_000);

/** The concurrency that the queue of deliveries is read with: with less reserved, batches would be refused. */
const minDeliveryConcurrency = 80;
/** What an event is kept for: a later attempt would find nothing to send. */
const maxRetrySeconds = 30 * 24 * 60 * 60;

const seconds = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^\d+(\.\d+)?$/)
        .transform(Number),
    ],
    'must be a number of seconds',
  )
  .pipe(z.number().min(0, 'must be at least 0'));

/** Words that Cognito refuses anywhere in the prefix of a domain. */
const wordsOfAws = ['aws', 'amazon', 'cognito'];

const HostedZone = z.strictObject({ id: z.string().min(1), name: z.hostname() });

/** A domain of the team's own. */
const Domain = z.strictObject({
  name: z.hostname().lowercase(),
  /** A certificate in the stack's region. Without it one is requested, and proved by DNS. */
  certificateArn: z.string().startsWith('arn:').optional(),
  /** The Route 53 zone that holds the domain: its records are then made too. Without it, make them by hand. */
  hostedZone: HostedZone.optional(),
});

const Values = z.strictObject({
  /** Part of the stack's name. */
  stage: z.string().regex(/^[a-z][a-z0-9-]{0,19}$/, 'must be lowercase letters, digits and hyphens, at most 20'),
  /** The name or number of the stage's AWS account, if not all stages are in one: those of one account share its quotas. */
  account: z.string().min(1).optional(),
  /** The account's quota of functions that run at once: an alarm rises at 80 % of it. */
  accountConcurrency: whole(10, 1_000_000),
  /** What happens to tables, secrets and logs when the stack is deleted, or an update would replace them. */
  removalPolicy: z.enum(['destroy', 'retain']),
  deletionProtection: z.boolean(),
  /** A new number creates a new, empty table. The old one is kept only where `removalPolicy` is `retain`. */
  recordsGeneration: generation,
  trafficGeneration: generation,
  /** Whether new code first gets a tenth of the requests for five minutes, and goes back if it fails meanwhile. */
  gradualDeployment: z.boolean(),
  /** Whether X-Ray traces requests: at many requests it costs more than the functions. */
  tracing: z.boolean(),
  logRetentionDays: z.literal([7, 30, 90, 365]),
  /** Requests per minute of one key to one endpoint with one method. docs/behavior.md#rate-limits */
  rateLimitReads: requestsPerMinute,
  rateLimitWrites: requestsPerMinute,
  /** Forms of the web application that one account may send a minute. */
  formLimit: requestsPerMinute,
  /** Requests a second that the API takes from everybody together, and how many at once; both 0 for the account's own limits. */
  throttleRate: whole(0, 1_000_000),
  throttleBurst: whole(0, 1_000_000),
  /**
   * How many requests the functions of the API together, in equal parts, and how many batches the delivery of webhooks may
   * run at once, whatever else the account runs; 0 reserves nothing. All reservations of an account leave 100 of its quota.
   */
  apiConcurrency: reservation,
  deliveryConcurrency: reservation.refine(
    (concurrency) => concurrency === 0 || concurrency >= minDeliveryConcurrency,
    `must be 0 or at least ${minDeliveryConcurrency}, which is how many the queue starts`,
  ),
  /**
   * Whether the other workers of the stream and of queues have executions of their own, as shared/contract/workers.ts
   * declares, or share the account's with pages and downloads.
   */
  workerConcurrency: z.enum(['reserved', 'shared']),
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
  /** The address that mails to members and affiliates come from. Without it none are sent, and the pages say so. */
  mailFrom: z.email().max(254).lowercase().optional(),
  /**
   * The domain of `mailFrom` becomes an identity of SES with DKIM, unless it `exists` in the region. In its Route 53 zone the
   * records of DKIM are made too. Without it the identity is created, and the stack's outputs name the records to make.
   */
  mailDomain: z.strictObject({ identity: z.enum(['create', 'exists']), hostedZone: HostedZone.optional() }).optional(),
  /** Where integrators call the API, and where people open the web application. API Gateway's own address when absent. */
  apiDomain: Domain.optional(),
  appDomain: Domain.optional(),
  /** Where affiliates' links are followed: redirects alone, on a domain that is neither of the others. At `appDomain` when absent. */
  linkDomain: Domain.optional(),
  /** The waits between delivery attempts, in seconds; the product's own schedule when absent. */
  webhookRetrySeconds: z
    .array(seconds)
    .min(1)
    .max(50)
    .refine((waits) => waits.reduce((sum, wait) => sum + wait, 0) <= maxRetrySeconds, 'must be 30 days or less in all')
    .readonly()
    .optional(),
  /** Who is told of alarms. Without it, alarms only show in CloudWatch. */
  alarmEmail: z.email().optional(),
});

const throttled = 'throttleRate and throttleBurst go together: both 0, or both at least 1';

export const Settings = Values.refine(
  ({ throttleRate, throttleBurst }) => (throttleRate === 0) === (throttleBurst === 0),
  // With a burst of 0, API Gateway refuses every request.
  { error: throttled, path: ['throttleBurst'] },
).refine(
  ({ apiDomain, appDomain, linkDomain }) =>
    !linkDomain || ![apiDomain?.name, appDomain?.name].includes(linkDomain.name),
  {
    error: 'must be a domain of its own: it serves redirects alone',
    path: ['linkDomain'],
  },
);

/** What is decided at deploy time, and differs between stages. */
export type Settings = z.output<typeof Settings>;
/** The settings of a stage, as infra/stages.ts has them. */
export type StageSettings = Omit<Settings, 'stage'>;
