import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { createApp } from '../../../infra/cdk-app.ts';
import { readSettings, type Settings } from '../../../infra/settings.ts';
import { AffiliateProgramStack } from '../../../infra/stack.ts';
import { stackNameOf } from '../../../infra/stack-name.ts';

/** Lets an app write its files into a folder that is deleted after it. */
export const inOutputFolder = <Result>(synthesize: (outdir: string) => Result): Result => {
  const outdir = mkdtempSync(join(tmpdir(), 'affiliate-program-template-'));
  try {
    return synthesize(outdir);
  } finally {
    rmSync(outdir, { recursive: true });
  }
};

/** @param isValidated whether it throws what CloudFormation would refuse, which takes longer than all the rest */
export const synthesize = (settings: Settings, isValidated: boolean): Template =>
  inOutputFolder((outdir) => {
    const app = createApp({
      outdir,
      builtinCloudFormationValidation: isValidated,
      // The code of the functions stays where it was bundled.
      context: { 'aws:cdk:disable-asset-staging': true, 'aws:cdk:disable-stack-trace': true },
    });
    return Template.fromStack(new AffiliateProgramStack(app, stackNameOf(settings.stage), settings));
  });

const synthesized = new Map<string, Template>();

/** The template of these settings, synthesized in this process, once for all tests of a worker. */
export const templateOf = (settings: Settings): Template => {
  const key = JSON.stringify(settings);
  const template = synthesized.get(key) ?? synthesize(settings, false);
  synthesized.set(key, template);
  return template;
};

/** The address that the stack in production notifies of alarms. */
export const alarmEmail = 'operator@example.com';
/** The segment of the connector's paths in production. */
export const connectorPlatform = 'zapier';

/** The stack in production, with settings as its operator might choose them. */
export const productionTemplate = (): Template =>
  templateOf(
    readSettings({
      STAGE: 'prod',
      ALARM_EMAIL: alarmEmail,
      WEBHOOK_RETRY_SECONDS: '1,2',
      CONNECTOR_PLATFORM: connectorPlatform,
    }),
  );

/** The stack of `npm start` and of the tests. */
export const localTemplate = (): Template => templateOf(readSettings({ STAGE: 'local' }));

/** The settings of a stage for trying things out. */
export const dev = readSettings({ STAGE: 'dev' });
