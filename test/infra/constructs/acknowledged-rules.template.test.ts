import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { beforeAll, describe, expect, it } from 'vitest';
import { settings, stackIn, withApp } from './template-of.ts';

interface Suppressed {
  acknowledgedId: string;
  reason: string;
}

// The synthesis throws if another rule of cdk-nag is violated.
describe('the rules of cdk-nag that the stack in production does not follow', () => {
  let suppressed: readonly Suppressed[];
  let acknowledged: readonly string[];

  beforeAll(() => {
    withApp({ builtinCloudFormationValidation: false }, (app, outdir) => {
      Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
      const stack = stackIn(app, settings.production);
      app.synth();
      const report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8'));
      suppressed = report.pluginReports.flatMap(
        (one: { suppressedViolations: Suppressed[] }) => one.suppressedViolations,
      );
      acknowledged = [stack, stack.data]
        .flatMap(({ node }) => node.metadata)
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data));
    });
  });

  it('are acknowledged with a reason', () => {
    expect(suppressed).not.toEqual([]);
    for (const { acknowledgedId, reason } of suppressed) expect(reason, acknowledgedId).toMatch(/^[A-Z].{40,}\.$/);
  });

  it('are all that is acknowledged', () => {
    expect([...new Set(acknowledged)].sort()).toEqual([...new Set(suppressed.map((one) => one.acknowledgedId))].sort());
  });
});
