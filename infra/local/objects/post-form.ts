import * as z from 'zod';
import { type ObjectRefusal, refusal, signatureMismatch } from './refusal.ts';
import { isSigned } from './signature.ts';

/** A form that uploads a file: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-UsingHTTPPOST.html */
export interface PostForm {
  /** By their names in lower case: they are case-insensitive. */
  readonly fields: ReadonlyMap<string, string>;
  readonly file: Buffer;
}

/** Reads a form. What comes after the file does not count. Returns the refusal where it is no such form. */
export async function readForm(body: Buffer, contentType: string): Promise<PostForm | ObjectRefusal> {
  const malformed = refusal(400, 'MalformedPOSTRequest', 'The body of your POST request is not well-formed.');
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => undefined);
  if (!form) return malformed;
  const fields = new Map<string, string>();
  for (const [name, value] of form) {
    if (typeof value === 'string' && name !== 'file') fields.set(name.toLowerCase(), value);
    else if (typeof value === 'string') return { fields, file: Buffer.from(value) };
    else return { fields: withFileName(fields, value.name), file: Buffer.from(await value.arrayBuffer()) };
  }
  return refusal(400, 'InvalidArgument', 'POST requires exactly one file upload per request.');
}

const withFileName = (fields: ReadonlyMap<string, string>, fileName: string): ReadonlyMap<string, string> =>
  new Map(fields).set('key', (fields.get('key') ?? '').replaceAll('$' + '{filename}', fileName));

const policySchema = z.object({
  expiration: z.string(),
  conditions: z.array(
    z.union([
      z.tuple([z.literal('content-length-range'), z.coerce.number(), z.coerce.number()]),
      z.tuple([z.enum(['eq', 'starts-with']), z.string().startsWith('$'), z.string()]),
      z.record(z.string(), z.string()).refine((pairs) => Object.keys(pairs).length === 1),
    ]),
  ),
});
type Policy = z.output<typeof policySchema>;
type Condition = Policy['conditions'][number];

/** The field that a condition is about, and what its value must be; none for one about the size. */
const fieldOf = (condition: Condition): { name: string; value: string; isStart: boolean } | undefined => {
  if (!Array.isArray(condition)) {
    const [[name, value] = ['', '']] = Object.entries(condition);
    return { name: name.toLowerCase(), value, isStart: false };
  }
  const [operator, name, value] = condition;
  if (operator === 'content-length-range') return undefined;
  return { name: name.slice(1).toLowerCase(), value, isStart: operator === 'starts-with' };
};

const sizeRefusal = (condition: Condition, { length }: Buffer): ObjectRefusal | undefined => {
  if (!Array.isArray(condition) || condition[0] !== 'content-length-range') return undefined;
  const [, smallest, largest] = condition;
  if (length > largest) return refusal(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
  if (length < smallest)
    return refusal(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
  return undefined;
};

const invalid = (reason: string): ObjectRefusal =>
  refusal(403, 'AccessDenied', `Invalid according to Policy: ${reason}`);

const isExempt = (name: string): boolean =>
  ['policy', 'x-amz-signature', 'file'].includes(name) || name.startsWith('x-ignore-');

const conditionsRefusal = ({ conditions }: Policy, { fields, file }: PostForm, bucket: string) => {
  const given = new Map(fields).set('bucket', bucket);
  const named = new Set<string>();
  for (const condition of conditions) {
    const tooMuch = sizeRefusal(condition, file);
    if (tooMuch) return tooMuch;
    const field = fieldOf(condition);
    if (!field) continue;
    named.add(field.name);
    const value = given.get(field.name) ?? '';
    if (field.isStart ? !value.startsWith(field.value) : value !== field.value)
      return invalid(`Policy Condition failed: ${JSON.stringify(condition)}`);
  }
  const extra = [...fields.keys()].filter((name) => !named.has(name) && !isExempt(name));
  return extra.length > 0 ? invalid(`Extra input fields: ${extra.join(', ')}`) : undefined;
};

/** What S3 refuses of a form: another signature, an expired policy, and what the policy does not allow. @param now in milliseconds */
export function formRefusal(
  form: PostForm,
  { bucket, secretAccessKey, now }: { bucket: string; secretAccessKey: string; now: number },
): ObjectRefusal | undefined {
  const of = (name: string): string => form.fields.get(name) ?? '';
  const [policy, credential, signature] = [of('policy'), of('x-amz-credential'), of('x-amz-signature')];
  if (!isSigned(policy, { signature, credential, secretAccessKey })) return signatureMismatch;
  let parsed: Policy;
  try {
    parsed = policySchema.parse(JSON.parse(Buffer.from(policy, 'base64').toString()));
  } catch {
    return refusal(400, 'InvalidPolicyDocument', 'The content of the form does not meet the conditions of a policy.');
  }
  if (!(now < Date.parse(parsed.expiration))) return invalid('Policy expired.');
  if (of('key') === '') return refusal(400, 'InvalidArgument', 'Bucket POST must contain a field named key.');
  return conditionsRefusal(parsed, form, bucket);
}
