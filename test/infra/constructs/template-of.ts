import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App, AppProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { createApp } from '../../../infra/cdk-app.ts';
import { readAssembly } from '../../../infra/local/template/assembly.ts';
import { ServiceStack } from '../../../infra/service-stack.ts';
import { readSettings, type Settings } from '../../../infra/settings.ts';
import { stackNameOf } from '../../../infra/stack-name.ts';

/** Lets `use` synthesize an app, whose files are deleted after it. */
export const withApp = <Result>(props: AppProps, use: (app: App, outdir: string) => Result): Result => {
  const outdir = mkdtempSync(join(tmpdir(), 'affiliate-program-template-'));
  // The code of the functions stays where it was bundled.
  const context = { 'aws:cdk:disable-asset-staging': true, 'aws:cdk:disable-stack-trace': true };
  try {
    return use(createApp({ outdir, context, ...props }), outdir);
  } finally {
    rmSync(outdir, { recursive: true });
  }
};

/** The stack of these settings in an app, beside that of its data. */
export const stackIn = (app: App, settings: Settings): ServiceStack =>
  new ServiceStack(app, stackNameOf(settings.stage), settings);

/** The templates of all stacks of an app as one, in which references between them are references within it. */
export const combinedTemplate = (app: App, outdir: string): Template => {
  app.synth();
  return Template.fromJSON({ ...readAssembly(outdir).template });
};

/** Without the validation, which takes longer than all the rest. */
const synthesize = (settings: Settings): Template =>
  withApp({ builtinCloudFormationValidation: false }, (app, outdir) => {
    stackIn(app, settings);
    return combinedTemplate(app, outdir);
  });

const once = (make: (settings: Settings) => Template): typeof make => {
  const made = new Map<string, Template>();
  return (settings) => {
    const key = JSON.stringify(settings);
    const template = made.get(key) ?? make(settings);
    made.set(key, template);
    return template;
  };
};

/**
 * The template of these settings, synthesized in this process, once for all tests of a worker. Call it in `beforeAll`:
 * a test would synthesize nothing when it runs again with a mutant.
 */
export const templateOf = once(synthesize);

/** The settings of each stage; those of production as its operator might choose them. */
export const settings = {
  local: readSettings({ STAGE: 'local' }),
  dev: readSettings({ STAGE: 'dev' }),
  production: readSettings({
    STAGE: 'prod',
    ALARM_EMAIL: 'operator@example.com',
    MAIL_FROM: 'programs@example.com',
    WEBHOOK_RETRY_SECONDS: '1,2',
    CONNECTOR_PLATFORM: 'zapier',
  }),
};
