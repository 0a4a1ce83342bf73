import { bundleFunctions } from './bundle.ts';
import { refuseUnknownContext } from './context.ts';
import { readSettings } from './settings.ts';
import { stackNameOf } from './stack-name.ts';

// Begun first: loading the CDK takes as long.
const bundling = bundleFunctions();
const [{ App }, { AffiliateProgramStack }] = await Promise.all([import('aws-cdk-lib'), import('./stack.ts')]);

const app = new App({
  analyticsReporting: false,
  treeMetadata: false,
  postCliContext: {
    // The CDK CLI sets this by itself; without the CLI the local stack would not find the code of a function.
    'aws:cdk:enable-asset-metadata': true,
    // What CloudFormation would refuse is an error here, not a warning.
    '@aws-cdk/core:validateAgainstDefaultRules': true,
  },
});
refuseUnknownContext(app);
const chosenStage: unknown = app.node.tryGetContext('stage');
const settings = readSettings(typeof chosenStage === 'string' ? { ...process.env, STAGE: chosenStage } : process.env);

await bundling;
new AffiliateProgramStack(app, stackNameOf(settings.stage), settings);
app.synth();
