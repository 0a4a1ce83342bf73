import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { Challenge } from 'altcha-lib/types';
import * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { decryptFromClient, encryptForClient } from '../../platform/secrets/encryption.ts';
import { updateItem } from '../../platform/table/items.ts';

/** Proof that a browser showed the form for some seconds and worked for it. docs/behavior.md#applications */

const fewestSeconds = 3;
const keptSeconds = 2 * 60 * 60;
const context = 'application-form';

const algorithm = 'PBKDF2/SHA-256';

/** Solving it takes a phone one to two seconds, and checking it some milliseconds. Tests that are not about the work lower it. */
export const applicationWork = { cost: 5000, fewest: 100, most: 300 };

const Parameters = z.object({
  algorithm: z.string(),
  nonce: z.string(),
  salt: z.string(),
  cost: z.number(),
  keyLength: z.number(),
  keyPrefix: z.string(),
});

/** Of one showing of the form. Nothing is stored until it is used: all of it is in the page, encrypted. */
const Seal = z.object({
  id: z.string(),
  programId: z.string(),
  shownAt: z.string(),
  /** Which questions and terms were shown. */
  form: z.string(),
  secret: z.string(),
  challenge: z.object({ parameters: Parameters, signature: z.string() }),
});
type Seal = z.output<typeof Seal>;

const Solution = z.object({ counter: z.int().min(0), derivedKey: z.string().max(100) });

export interface ProofRequest {
  seal: string;
  challenge: Challenge;
}

/** What the page of the form asks the browser to do. `form` names what was shown. */
export const askForProof = async (programId: string, form: string, now: Date): Promise<ProofRequest> => {
  const secret = randomBytes(24).toString('base64url');
  const { cost, fewest, most } = applicationWork;
  const counter = randomInt(fewest, most);
  const challenge = await createChallenge({ algorithm, cost, counter, deriveKey, hmacSignatureSecret: secret });
  const seal: Seal = Seal.parse({ id: randomUUID(), programId, shownAt: now.toISOString(), form, secret, challenge });
  return { seal: await encryptForClient('sessions', JSON.stringify(seal), context), challenge };
};

const expired = () => new ApiError('bad_request', 'This form has expired. Please send it again.');

const solutionIn = (proof: string | undefined): z.output<typeof Solution> | undefined => {
  try {
    return Solution.safeParse(JSON.parse(proof ?? '')).data;
  } catch {
    return undefined;
  }
};

const isSolved = async ({ challenge, secret }: Seal, proof: string | undefined): Promise<boolean> => {
  const solution = solutionIn(proof);
  if (!solution) return false;
  const { verified } = await verifySolution({ challenge, solution, deriveKey, hmacSignatureSecret: secret });
  return verified;
};

const readSeal = async (programId: string, text: string): Promise<Seal> => {
  const json = await decryptFromClient('sessions', text, context);
  const seal = json === undefined ? undefined : Seal.parse(JSON.parse(json));
  if (seal?.programId !== programId) throw expired();
  return seal;
};

/** The id of the showing of the form. 400 for a form that is too fast, too old, altered, of another program, or without its work. */
export const checkProof = async (
  programId: string,
  { seal: text, proof }: { seal: string; proof?: string | undefined },
  form: string,
  now: Date,
): Promise<string> => {
  const seal = await readSeal(programId, text);
  const seconds = (now.getTime() - Date.parse(seal.shownAt)) / 1000;
  if (seconds > keptSeconds) throw expired();
  if (seconds < fewestSeconds)
    throw new ApiError('bad_request', 'That was fast. Wait a few seconds, and send it again.');
  if (!(await isSolved(seal, proof)))
    throw new ApiError(
      'bad_request',
      'Your browser could not show that you are a person. Switch on JavaScript, and send the form again.',
    );
  if (seal.form !== form)
    throw new ApiError('bad_request', 'The program has changed this form. Check it, and send it again.');
  return seal.id;
};

/** 400 if it was used before. */
export const useProof = async (id: string, now: Date): Promise<void> => {
  const used = await updateItem(
    'traffic',
    { pk: `FORMS#PROOF#${id}`, sk: 'USED' },
    {
      UpdateExpression: 'SET #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(pk)',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':ttl': Math.ceil(now.getTime() / 1000) + 2 * keptSeconds },
    },
  );
  if (!used.isWritten) throw expired();
};
