import type { Reporter } from 'vitest/node';

/** Ends a run with one plain line, which needs no reader that knows vitest: `241 passed, 0 failed`. */
export const closingLine: Reporter = {
  onTestRunEnd: (modules, unhandledErrors) => {
    let passed = 0;
    let skipped = 0;
    // An error outside of a test, such as a file that cannot be loaded, is a failure too.
    let failed = unhandledErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        else if (state === 'failed') failed++;
        else skipped++;
      }
    }
    console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  },
};
