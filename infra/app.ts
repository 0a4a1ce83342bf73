import { bundleFunctions } from './bundle.ts';
import { refuseUnknownContext } from './context.ts';
import { readSettings } from './settings.ts';
import { stackNameOf } from './stack-name.ts';

// Begun first: loading the CDK takes as long.
const bundling = bundleFunctions();
const [{ createApp }, { AffiliateProgramStack }] = await Promise.all([import('./cdk-app.ts'), import('./stack.ts')]);

const app = createApp();
refuseUnknownContext(app);
const chosenStage: unknown = app.node.tryGetContext('stage');
const settings = readSettings(typeof chosenStage === 'string' ? { ...process.env, STAGE: chosenStage } : process.env);

await bundling;
new AffiliateProgramStack(app, stackNameOf(settings.stage), settings);
app.synth();
