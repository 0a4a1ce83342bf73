import { defineConfig } from 'vitest/config';
import { closingLine } from './test/support/closing-line.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', closingLine],
    globalSetup: ['test/support/running-stack.ts'],
    // Every file works in programs of its own, so files may run beside each other on one stack.
    // More of them than processors: each waits for the stack most of the time.
    maxWorkers: 4,
    // Files share what they import: loading the SDK anew for each would take a tenth of the time.
    isolate: false,
    restoreMocks: true,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
