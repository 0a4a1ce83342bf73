import * as z from 'zod';
import { readExpression } from '../schedules/expression.ts';
import type { Schedule } from '../schedules/schedules.ts';
import { nameOf, propertiesOf, type Resource, resourcesOf, type Scope } from '../template/template.ts';
import type { Expiry } from './expire-objects.ts';

const bucketProperties = z.object({
  LifecycleConfiguration: z
    .strictObject({
      Rules: z.array(
        z.strictObject({
          Id: z.string().optional(),
          Status: z.literal('Enabled'),
          Prefix: z.string().default(''),
          ExpirationInDays: z.number().optional(),
          AbortIncompleteMultipartUpload: z.strictObject({ DaysAfterInitiation: z.number() }).optional(),
        }),
      ),
    })
    .default({ Rules: [] }),
});
type Rule = z.output<typeof bucketProperties>['LifecycleConfiguration']['Rules'][number];

/** S3 begins to expire objects at this time of each day. */
const midnight = 'cron(0 0 * * ? *)';
const dayMilliseconds = 86_400_000;

const before = (at: Date, days: number | undefined): number =>
  days === undefined ? Number.NEGATIVE_INFINITY : at.getTime() - days * dayMilliseconds;

const expiryOf = (
  bucket: string,
  { Prefix: prefix, ExpirationInDays: days, AbortIncompleteMultipartUpload: abort }: Rule,
  at: Date,
): Expiry => ({
  bucket,
  prefix,
  objectsUntil: before(at, days),
  uploadsUntil: before(at, abort?.DaysAfterInitiation),
});

/** Throws a sentence where a rule has what the local stack does not run. */
const rulesOf = (scope: Scope, logicalId: string, resource: Resource): Rule[] => {
  try {
    return propertiesOf(bucketProperties, resource, scope).LifecycleConfiguration.Rules;
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new Error(`The local stack does not run the lifecycle of ${logicalId}: ${z.prettifyError(error)}`);
  }
};

/**
 * Makes the template's buckets where they are missing, and tells `scope` what they are.
 *
 * @param endpoint of the embedded S3
 * @returns the schedules by which their objects expire
 */
export async function deployBuckets(
  scope: Scope,
  endpoint: string,
  expire: (expiry: Expiry) => Promise<void>,
): Promise<Schedule[]> {
  const schedules: Schedule[] = [];
  for (const { logicalId, resource } of resourcesOf(scope, 'AWS::S3::Bucket')) {
    const rules = rulesOf(scope, logicalId, resource);
    const name = nameOf(logicalId, resource.Properties?.BucketName, scope).toLowerCase().slice(0, 63);
    const { ok, status } = await fetch(`${endpoint}/${name}`, { method: 'PUT' });
    if (!ok) throw new Error(`The embedded S3 did not make the bucket ${name}: ${status}`);
    scope.resources.set(logicalId, { reference: name, attributes: { Arn: `arn:aws:s3:::${name}` } });
    if (rules.length === 0) continue;
    schedules.push({
      name: logicalId,
      next: readExpression(midnight, 'UTC', new Date()),
      run: async (at) => {
        for (const rule of rules) await expire(expiryOf(name, rule, at));
      },
    });
  }
  return schedules;
}
