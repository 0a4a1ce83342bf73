import type { Settings } from '../settings.ts';

/** What the functions' own metrics are filed under in CloudWatch: `AffiliateProgram`, and there by the stack's name. */
export const metricsNamespace = 'AffiliateProgram';
export const metricsService = ({ stage }: Settings): string => `affiliate-program-${stage}`;
