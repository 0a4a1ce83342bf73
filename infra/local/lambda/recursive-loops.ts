import { createHash, randomBytes } from 'node:crypto';

/**
 * How AWS finds recursive loops: each invocation has an X-Ray trace header whose `Lineage` counts, by function, the
 * invocations of the chain that led to it. The SDK sends the header with every call, SQS keeps it with the message, and
 * Lambda counts on from there. DynamoDB streams carry no header, so a chain ends there.
 */

/** So many invocations of a function in a chain are made; Lambda stops the next. */
const maxInvocations = 16;

/** Stands for a function in a lineage. */
const hashOf = (functionArn: string): string => createHash('sha256').update(functionArn).digest('hex').slice(0, 8);

/** The value of one field of a header such as `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=3995c3f42cd8ad8;…`. */
const fieldOf = (header: string, name: string): string | undefined =>
  header
    .split(';')
    .find((field) => field.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** The counts by function of a lineage such as `a87bd80c:1|68fd508a:5`, as AWS documents it. */
const lineageOf = (header: string): [hash: string, count: number][] =>
  [...(fieldOf(header, 'Lineage') ?? '').matchAll(/([0-9a-f]{8}):(\d+)/g)].map(([, hash = '', count]) => [
    hash,
    Number(count),
  ]);

const newRoot = (): string => {
  const seconds = Math.floor(Date.now() / 1000).toString(16);
  return `1-${seconds}-${randomBytes(12).toString('hex')}`;
};

/** Whether Lambda would refuse to invoke the function for a message with this trace header. */
export const isRunawayLoop = (functionArn: string, header: string | undefined): boolean => {
  const hash = hashOf(functionArn);
  return lineageOf(header ?? '').some(([one, count]) => one === hash && count >= maxInvocations);
};

/**
 * The trace header of an invocation.
 * @param headers of the messages that cause it. Where they come from several chains, the longest counts.
 */
export const traceHeaderOf = (functionArn: string, headers: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const [hash, count] of headers.flatMap(lineageOf)) counts.set(hash, Math.max(count, counts.get(hash) ?? 0));
  const own = hashOf(functionArn);
  counts.set(own, (counts.get(own) ?? 0) + 1);
  const lineage = [...counts].map(([hash, count]) => `${hash}:${count}`).join('|');
  const root = fieldOf(headers[0] ?? '', 'Root') ?? newRoot();
  return `Root=${root};Parent=${randomBytes(8).toString('hex')};Sampled=0;Lineage=${lineage}`;
};
