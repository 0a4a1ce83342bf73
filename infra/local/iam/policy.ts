import * as z from 'zod';

/** One statement of a policy document, with every list written out. */
export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly notActions: readonly string[];
  readonly resources: readonly string[];
  readonly notResources: readonly string[];
  /** Of a resource's policy: who is meant, such as `AWS:*` or `Service:cloudwatch.amazonaws.com`. Empty in a role's. */
  readonly principals: readonly string[];
  readonly conditions: readonly Condition[];
}

export interface Condition {
  /** Such as `ForAllValues:StringLike`. */
  readonly operator: string;
  /** Such as `dynamodb:LeadingKeys`. */
  readonly key: string;
  readonly values: readonly string[];
}

const text = z.union([z.string(), z.boolean(), z.number()]).transform(String);
const oneOrMore = z
  .union([text, z.array(text)])
  .default([])
  .transform((value) => (Array.isArray(value) ? value : [value]));

const principal = z
  .union([z.string(), z.record(z.string(), oneOrMore)])
  .default({})
  .transform((value) =>
    typeof value === 'string'
      ? [`AWS:${value}`]
      : Object.entries(value).flatMap(([kind, names]) => names.map((name) => `${kind}:${name}`)),
  );

const statement = z
  .object({
    Sid: z.string().optional(),
    Effect: z.enum(['Allow', 'Deny']),
    Action: oneOrMore,
    NotAction: oneOrMore,
    Resource: oneOrMore,
    NotResource: oneOrMore,
    Principal: principal,
    Condition: z.record(z.string(), z.record(z.string(), oneOrMore)).default({}),
  })
  .strict();

const policyDocument = z.object({
  Version: z.string().optional(),
  Statement: z.union([statement, z.array(statement)]).transform((value) => (Array.isArray(value) ? value : [value])),
});

/** Reads a policy document as CloudFormation takes it, intrinsic functions resolved. Throws at a field it does not know. */
export function readPolicy(document: unknown): Statement[] {
  return policyDocument.parse(document).Statement.map((given) => ({
    effect: given.Effect,
    actions: given.Action,
    notActions: given.NotAction,
    resources: given.Resource,
    notResources: given.NotResource,
    principals: given.Principal,
    conditions: Object.entries(given.Condition).flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, values]) => ({ operator, key, values })),
    ),
  }));
}
