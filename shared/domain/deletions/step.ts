interface Subject {
  programId: string;
  id: string;
  isSweep?: boolean | undefined;
  moveTo?: string | undefined;
  at?: string | undefined;
}

/** Handles one page; returns where to continue, or undefined at the end. */
export type Step = (subject: Subject, after: string | undefined, now: Date) => Promise<string | undefined>;
