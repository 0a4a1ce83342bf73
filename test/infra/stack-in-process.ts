import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { Settings } from '../../infra/settings.ts';
import { AffiliateProgramStack } from '../../infra/stack.ts';
import { stackNameOf } from '../../infra/stack-name.ts';

/** The template of these settings, synthesized in this process; the functions must be bundled. */
export const templateOf = (settings: Settings): Template => {
  const app = new App({ analyticsReporting: false, context: { 'aws:cdk:disable-stack-trace': true } });
  return Template.fromStack(new AffiliateProgramStack(app, stackNameOf(settings.stage), settings));
};
