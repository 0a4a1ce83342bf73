import type { Settings } from '../settings.ts';

/** What own metrics of the whole stack are filed under: its name. */
export const metricsService = ({ stage }: Settings): string => `affiliate-program-${stage}`;
