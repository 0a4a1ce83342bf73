import { Refused } from './api.ts';

interface Step {
  /** Such as `affiliate`. */
  noun: string;
  /** Of the event that must follow, such as `affiliate.created`. */
  eventType: string;
  recordId: string;
  /** When the API's answer was here, by the clock of `performance.now()`. */
  answeredMilliseconds: number;
}

/** What the demo did, and what came of it. */
export interface Journal {
  done: Step[];
  /** Refusals that are part of the story, each with the API's own sentence. */
  refused: { attempt: string; status: number; reason: string }[];
  /** What should have worked, or should have been refused, and was not. */
  surprises: string[];
}

export const newJournal = (): Journal => ({ done: [], refused: [], surprises: [] });

/** Does something that must work and notes it; undefined, and a surprise, when the API refuses. */
export const note = async <Answer>(
  journal: Journal,
  noun: string,
  eventType: string,
  action: () => Promise<Answer>,
  recordIdOf: (answer: Answer) => string,
): Promise<Answer | undefined> => {
  try {
    const answer = await action();
    journal.done.push({ noun, eventType, recordId: recordIdOf(answer), answeredMilliseconds: performance.now() });
    return answer;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    journal.surprises.push(`${noun} refused: ${error.status} ${error.message}`);
    return undefined;
  }
};

/** Does something that the API must refuse, and notes the reason that it gives. */
export const noteRefusal = async (journal: Journal, attempt: string, action: () => Promise<unknown>): Promise<void> => {
  try {
    await action();
    journal.surprises.push(`${attempt}: was not refused`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    journal.refused.push({ attempt, status: error.status, reason: error.message });
  }
};
