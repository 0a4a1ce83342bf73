import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from './bundle.ts';
import { createApp } from './cdk-app.ts';
import { pythonProgram } from './python-program.ts';
import { ServiceStack } from './service-stack.ts';
import { readSettings } from './settings.ts';
import { stackNameOf } from './stack-name.ts';
import { stages } from './stages.ts';

const cfnLint = 'cfn-lint==1.58.0';
/** The CDK orders resources that a reference orders already. */
const ignored = ['W3005'];

const root = fileURLToPath(new URL('..', import.meta.url));

/** Writes a stage's templates, and throws if a rule of cdk-nag does not hold that is not acknowledged. */
const synthesize = (stage: string): string[] => {
  const outdir = mkdtempSync(join(root, '.build', `check-${stage}-`));
  const app = createApp({ outdir });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new ServiceStack(app, stackNameOf(stage), readSettings({ STAGE: stage }));
  app.synth();
  return globSync(join(outdir, '*.template.json'));
};

await bundleFunctions();
const templates = Object.keys(stages)
  .filter((stage) => stage !== 'local')
  .flatMap((stage) => synthesize(stage));
console.log(`cdk-nag: ${templates.length} templates follow the rules of AwsSolutions or say why not`);

const linter = pythonProgram(cfnLint, 'cfn-lint');
if (!linter) console.log('cfn-lint: left out, because Python or its package index is not there');
else if (spawnSync(linter, ['--ignore-checks', ...ignored, '--', ...templates], { stdio: 'inherit' }).status !== 0)
  process.exitCode = 1;
else console.log(`${cfnLint}: nothing found in ${templates.length} templates`);
for (const folder of new Set(templates.map(dirname))) rmSync(folder, { recursive: true });
