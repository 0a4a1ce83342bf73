import { forEveryProgram } from '../shared/domain/programs/all-programs.ts';
import { mailWeeklySummary } from '../shared/domain/statistics/weekly-summary.ts';
import { scheduledWorker } from '../shared/platform/queue/scheduled-worker.ts';

export const handler = scheduledWorker('weekly-summary', (run) =>
  forEveryProgram(run, (programId) => mailWeeklySummary(programId, run.time)),
);
