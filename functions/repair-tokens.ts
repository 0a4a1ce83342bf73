import { forEveryProgram } from '../shared/domain/programs/all-programs.ts';
import { repairTokens } from '../shared/domain/programs/repair-tokens.ts';
import { scheduledWorker } from '../shared/platform/queue/scheduled-worker.ts';

export const handler = scheduledWorker('repair-tokens', (run) => forEveryProgram(run, repairTokens));
