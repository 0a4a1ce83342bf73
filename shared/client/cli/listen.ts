import { setTimeout as sleep } from 'node:timers/promises';
import { AffiliateProgramError } from '../errors.ts';
import { forward, secretNotice } from './forward.ts';
import { clientOf } from './settings.ts';

export interface ListenOptions {
  forwardTo: string;
  type?: string[];
  after: string;
}

const pollMs = 1_000;

/** What passes by itself. Throws anything else, such as the error of a wrong key. */
const problemOf = (error: unknown): string => {
  if (!(error instanceof AffiliateProgramError)) throw error;
  const { status = 503, message } = error;
  if (status < 500 && status !== 429) throw error;
  return message;
};

/** Forwards events in the order of the feed, each once, until it is interrupted. Prints positions to go on from. */
export const listen = async ({ forwardTo, type: types, after }: ListenOptions): Promise<void> => {
  const { events } = clientOf(process.env);
  console.error(secretNotice());
  let position = after;
  let isReady = false;
  for (;;) {
    const page = await events
      .list({ after: position })
      .page()
      .catch((error: unknown) => console.error(`The feed cannot be read, trying again: ${problemOf(error)}`));
    for (const event of page?.data ?? [])
      if (!types || types.includes(event.type)) console.log((await forward(event, forwardTo)).line);
    position = page?.after ?? position;
    if (page && !isReady) console.error(`Forwarding to ${forwardTo}`);
    if (page && (page.data.length > 0 || !isReady)) console.error(`Position: ${position}`);
    isReady ||= page !== undefined;
    if (!page?.next) await sleep(pollMs);
  }
};
