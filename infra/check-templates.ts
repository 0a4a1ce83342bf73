import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from './bundle.ts';
import { readSettings } from './settings.ts';
import { AffiliateProgramStack } from './stack.ts';
import { stages } from './stages.ts';

const cfnLint = 'cfn-lint==1.58.0';
/** The CDK orders resources that a reference orders already. */
const ignored = ['W3005'];

const root = fileURLToPath(new URL('..', import.meta.url));
const venv = join(root, '.build', cfnLint);
const run = (command: string, ...args: string[]): SpawnSyncReturns<Buffer> =>
  spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

/** Where cfn-lint is, in a Python environment of its own; undefined where there is no Python, or no package index. */
const installedCfnLint = (): string | undefined => {
  const program = join(venv, 'bin', 'cfn-lint');
  if (existsSync(program)) return program;
  const installed =
    run('python3', '-m', 'venv', venv).status === 0 &&
    run(join(venv, 'bin', 'pip'), 'install', '--quiet', cfnLint).status === 0;
  if (installed) return program;
  rmSync(venv, { recursive: true, force: true });
  return undefined;
};

/** Writes a stage's template, and throws if a rule of cdk-nag does not hold that is not acknowledged. */
const synthesize = (stage: string): string => {
  const outdir = mkdtempSync(join(root, '.build', `check-${stage}-`));
  const app = new App({ analyticsReporting: false, outdir });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const { templateFile } = new AffiliateProgramStack(app, `affiliate-program-${stage}`, readSettings({ STAGE: stage }));
  app.synth();
  return join(outdir, templateFile);
};

await bundleFunctions();
const templates = Object.keys(stages)
  .filter((stage) => stage !== 'local')
  .map((stage) => synthesize(stage));
console.log(`cdk-nag: ${templates.length} templates follow the rules of AwsSolutions or say why not`);

const linter = installedCfnLint();
if (!linter) console.log('cfn-lint: left out, because Python or its package index is not there');
else if (run(linter, '--ignore-checks', ...ignored, '--', ...templates).status !== 0) process.exitCode = 1;
else console.log(`${cfnLint}: nothing found in ${templates.length} templates`);
for (const template of templates) rmSync(join(template, '..'), { recursive: true });
