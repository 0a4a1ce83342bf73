import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App, AppProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { vi } from 'vitest';
import { createApp } from '../../../infra/cdk-app.ts';
import { ApiGateway } from '../../../infra/constructs/api-gateway.ts';
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

const synthesizeBackend = (settings: Settings): Template => {
  const serve = vi.spyOn(ApiGateway.prototype, 'serve').mockReturnValue();
  try {
    return synthesize(settings);
  } finally {
    serve.mockRestore();
  }
};

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

/** The same without the functions and routes of the API, which are three quarters of it and take as much of the time. */
export const backendOf = once(synthesizeBackend);

/** The settings of each stage; those of production as its operator might choose them. */
export const settings = {
  local: readSettings({ STAGE: 'local' }),
  dev: readSettings({ STAGE: 'dev' }),
  production: readSettings({
    STAGE: 'prod',
    ALARM_EMAIL: 'operator@example.com',
    WEBHOOK_RETRY_SECONDS: '1,2',
    CONNECTOR_PLATFORM: 'zapier',
  }),
};
