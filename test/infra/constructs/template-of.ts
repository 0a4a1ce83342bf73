import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App, AppProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { createApp } from '../../../infra/cdk-app.ts';
import { readSettings, type Settings } from '../../../infra/settings.ts';
import { AffiliateProgramStack } from '../../../infra/stack.ts';
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

/** The stack of these settings in an app. */
export const stackIn = (app: App, settings: Settings): AffiliateProgramStack =>
  new AffiliateProgramStack(app, stackNameOf(settings.stage), settings);

/** Without the validation, which takes longer than all the rest. */
const synthesize = (settings: Settings): Template =>
  withApp({ builtinCloudFormationValidation: false }, (app) => Template.fromStack(stackIn(app, settings)));

const synthesized = new Map<string, Template>();

/**
 * The template of these settings, synthesized in this process, once for all tests of a worker. Call it in `beforeAll`:
 * a test would synthesize nothing when it runs again with a mutant.
 */
export const templateOf = (settings: Settings): Template => {
  const key = JSON.stringify(settings);
  const template = synthesized.get(key) ?? synthesize(settings);
  synthesized.set(key, template);
  return template;
};

/** The address that the stack in production notifies of alarms. */
export const alarmEmail = 'operator@example.com';
/** The segment of the connector's paths in production. */
export const connectorPlatform = 'zapier';

/** Settings of a stack in production, as its operator might choose them. */
export const production = readSettings({
  STAGE: 'prod',
  ALARM_EMAIL: alarmEmail,
  WEBHOOK_RETRY_SECONDS: '1,2',
  CONNECTOR_PLATFORM: connectorPlatform,
});

export const productionTemplate = (): Template => templateOf(production);

/** The stack of `npm start` and of the tests. */
export const localTemplate = (): Template => templateOf(readSettings({ STAGE: 'local' }));

/** The settings of a stage for trying things out. */
export const dev = readSettings({ STAGE: 'dev' });
