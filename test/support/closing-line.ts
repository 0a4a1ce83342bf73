import type { Reporter, Vitest } from 'vitest/node';
import { conditionProblems } from '../conditions/condition-report.ts';
import { auditProblems } from './audit-check.ts';
import { logProblems } from './log-check.ts';
import { permissionProblems } from './permission-check.ts';

let vitest: Vitest;

/**
 * Ends a run with one plain line, which needs no reader that knows vitest: `241 passed, 0 failed`. Before it, why tests
 * were left out, each reason once, and what is wrong with the needs of the functions, with the tests of conditions and with
 * the logs: each such line counts as failed.
 */
export const closingLine: Reporter = {
  onInit: (started) => {
    vitest = started;
  },
  onTestRunEnd: async (modules, unhandledErrors) => {
    let passed = 0;
    let skipped = 0;
    const reasons = new Set<string>();
    // An error outside of a test, such as a file that cannot be loaded, is a failure too.
    let failed = unhandledErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') passed++;
        else if (result.state === 'failed') failed++;
        else skipped++;
        if (result.state === 'skipped' && result.note) reasons.add(result.note);
      }
    }
    const problems = [
      ...(await permissionProblems(vitest, modules)),
      ...(await conditionProblems(vitest, modules)),
      ...logProblems(vitest),
      ...(await auditProblems(vitest)),
    ];
    for (const problem of problems) console.error(problem);
    failed += problems.length;
    if (problems.length > 0) process.exitCode = 1;
    for (const reason of reasons) console.log(`Skipped: ${reason}`);
    console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  },
};
