import type { Reporter } from 'vitest/node';

/**
 * Ends a run with one plain line, which needs no reader that knows vitest: `241 passed, 0 failed`. Before it, why tests
 * were left out, each reason once.
 */
export const closingLine: Reporter = {
  onTestRunEnd: (modules, unhandledErrors) => {
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
    for (const reason of reasons) console.log(`Skipped: ${reason}`);
    console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  },
};
