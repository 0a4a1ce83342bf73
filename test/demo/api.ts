import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { DemoProblem, type Target } from './target.ts';

/** The API said no. The message is its own sentence, as a person reads it. */
export class Refused extends Error {
  override name = 'Refused';
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

const Failure = z.union([
  z.object({ error: z.number(), message: z.string() }).transform(({ message }) => message),
  z.object({ error: z.string() }).transform(({ error }) => error),
]);

/** Calls one operation and returns its record, parsed. Throws Refused when the API says no. */
export type Call = <ResponseBody extends z.ZodType>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  schema: ResponseBody,
  body?: unknown,
) => Promise<z.output<ResponseBody>>;

/** The API of one program. A 429 is waited out, as the API asks, so that the demo can be run again and again. */
export const apiOf =
  ({ baseUrl, apiKey }: Target): Call =>
  async (method, path, schema, body) => {
    for (;;) {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).catch(() => {
        throw new DemoProblem(`Nothing returns at ${baseUrl}. Start the stack with "npm start".`);
      });
      if (response.status === 429) {
        const seconds = Number(response.headers.get('retry-after') ?? 1);
        console.log(`The rate limit of ${method} ${path} is reached: going on in ${seconds} s.`);
        await response.arrayBuffer();
        await sleep(seconds * 1000);
        continue;
      }
      const content: unknown = await response.json();
      if (response.ok) return schema.parse(content);
      const sentence = Failure.safeParse(content);
      throw new Refused(response.status, sentence.success ? sentence.data : `status ${response.status}`);
    }
  };
