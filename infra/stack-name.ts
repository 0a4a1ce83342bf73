const prefix = 'affiliate-program-';

export const stackNameOf = (stage: string): string => `${prefix}${stage}`;

/** The stage of a stack, by its name. */
export const stageOf = (stackName: string): string =>
  stackName.startsWith(prefix) ? stackName.slice(prefix.length) : '';
