const prefix = 'affiliate-program-';

export const stackNameOf = (stage: string): string => `${prefix}${stage}`;

/** The name of the stack that holds the state of another one. */
export const dataStackNameOf = (stackName: string): string => `${stackName}-data`;

/** The stage of a stack, by its name. */
export const stageOf = (stackName: string): string =>
  stackName.startsWith(prefix) ? stackName.slice(prefix.length) : '';
