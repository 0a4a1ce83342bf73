import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { closingLine } from './test/support/closing-line.ts';

/** The files that take longest begin first, so that none of them is left alone at the end. */
const longest = [
  'payout-batches',
  'sales',
  'security',
  'life-cycle',
  'long-chains',
  'stack',
  'lists',
  'browser',
  'long-lists',
  'requests',
  'cascades',
  'admin',
  'deleted-program',
  'end-to-end',
  'payout-batches-interrupted',
  'links',
  'operations',
  'delivery',
  'every-page',
  'manual-retry',
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? longest.length : at;
    };
    return files.toSorted((one, other) => place(one) - place(other) || (one.moduleId < other.moduleId ? -1 : 1));
  }
}

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
    // Room for what the tests make, so that it is cleared away less often.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One second, as it is otherwise, is short where a worker has to be started first.
    expect: { poll: { timeout: 30_000 } },
  },
});
