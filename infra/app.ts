import { App } from 'aws-cdk-lib';
import { bundleFunctions } from './bundle.ts';
import { readSettings } from './settings.ts';
import { AffiliateProgramStack } from './stack.ts';

const app = new App({
  analyticsReporting: false,
  treeMetadata: false,
  // The CDK CLI sets this by itself; without the CLI the local stack would not find the code of a function.
  postCliContext: { 'aws:cdk:enable-asset-metadata': true },
});
const chosenStage: unknown = app.node.tryGetContext('stage');
const settings = readSettings(typeof chosenStage === 'string' ? { ...process.env, STAGE: chosenStage } : process.env);

await bundleFunctions();
new AffiliateProgramStack(app, `affiliate-program-${settings.stage}`, settings);
app.synth();
