/** A problem or a warning that a check found. */
export interface Finding {
  /** A problem has an impact now; a warning may have one later, or is intended. */
  level: 'problem' | 'warning';
  check: string;
  /** What is wrong, as a sentence. */
  text: string;
  /** What to do about it. */
  remedy: string;
}

/** Makes the findings of one check. */
export const findingsOf = (check: string) => ({
  problem: (text: string, remedy: string): Finding => ({ level: 'problem', check, text, remedy }),
  warning: (text: string, remedy: string): Finding => ({ level: 'warning', check, text, remedy }),
});

export interface CheckedStack {
  outputs: Readonly<Record<string, string>>;
  /** The name of a deployed stack; undefined for the local one, which has no CloudFormation, Lambda and CloudWatch. */
  stackName: string | undefined;
}

export type Check = (stack: CheckedStack) => Promise<Finding[]>;
