import { AffiliateProgramError } from '../../shared/client/errors.ts';
import { deliveryName, type Receiver } from './receiver.ts';
import { DemoProblem } from './target.ts';

/** An event that must follow from what was done. */
interface Expected {
  /** Such as `affiliate.created`. */
  eventType: string;
  recordId: string;
  /** When the API's response was here, by the clock of `performance.now()`. */
  respondedMilliseconds: number;
}

/** What the demo did, and with what result. */
export interface Journal {
  expected: Expected[];
  /** Refusals that are part of the story, each with the API's own sentence. */
  refused: { attempt: string; status: number; reason: string }[];
  /** What should have worked, or should have been refused, and was not. */
  surprises: string[];
}

export const newJournal = (): Journal => ({ expected: [], refused: [], surprises: [] });

/** The webhooks that must come, as `deliveryName` names them. */
export const expectedDeliveries = ({ expected }: Journal): Set<string> =>
  new Set(expected.map(({ eventType, recordId }) => deliveryName({ type: eventType, recordId })));

/** How long the demo waits for webhooks before it gives them up. */
export const maxWaitSeconds = Number(process.env.DEMO_WAIT_SECONDS ?? 30);
const maxUnderWay = 4;

/** A telling of the story: what it writes into, and the receiver that it keeps pace with. */
export interface Telling {
  journal: Journal;
  receiver: Receiver;
}

/** Whether the API refused, rather than that nothing is there. */
export const isRefusal = (error: unknown): error is AffiliateProgramError & { status: number } =>
  error instanceof AffiliateProgramError && error.status !== undefined;

/**
 * Does something that must work and notes the events that must follow; undefined, and a surprise, when the API refuses.
 * Goes on when few webhooks are on their way: what is measured is how long one takes, not how long a queue is.
 */
export const note = async <ResponseBody>(
  { journal, receiver }: Telling,
  noun: string,
  action: () => Promise<ResponseBody>,
  eventsOf: (response: ResponseBody) => readonly Pick<Expected, 'eventType' | 'recordId'>[],
): Promise<ResponseBody | undefined> => {
  try {
    const response = await action();
    const respondedMilliseconds = performance.now();
    journal.expected.push(...eventsOf(response).map((event) => ({ ...event, respondedMilliseconds })));
    const arrive = await receiver.waitFor(expectedDeliveries(journal), maxWaitSeconds, maxUnderWay);
    if (!arrive)
      throw new DemoProblem(`Webhooks do not arrive: ${maxUnderWay + 1} are overdue by ${maxWaitSeconds} s.`);
    return response;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    journal.surprises.push(`${noun} refused: ${error.status} ${error.message}`);
    return undefined;
  }
};

/** Does something that the API must refuse, and notes the reason that it gives. */
export const noteRefusal = async (
  { journal }: Telling,
  attempt: string,
  action: () => Promise<unknown>,
): Promise<void> => {
  try {
    await action();
    journal.surprises.push(`${attempt}: was not refused`);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    journal.refused.push({ attempt, status: error.status, reason: error.message });
  }
};
