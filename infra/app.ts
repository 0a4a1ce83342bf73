import { bundleFunctions, deployedCode } from './bundle.ts';
import { refuseUnknownContext } from './context.ts';
import { readSettings } from './settings.ts';
import { bundleSplit } from './split-bundle.ts';
import { stackNameOf } from './stack-name.ts';

// Begun first: loading the CDK takes as long.
const bundling = process.env.STAGE === 'local' ? bundleSplit() : bundleFunctions().then(() => deployedCode);
const [{ createApp }, { ServiceStack }] = await Promise.all([import('./cdk-app.ts'), import('./service-stack.ts')]);

const app = createApp();
refuseUnknownContext(app);
const chosenStage: unknown = app.node.tryGetContext('stage');
const settings = readSettings(typeof chosenStage === 'string' ? { ...process.env, STAGE: chosenStage } : process.env);

new ServiceStack(app, stackNameOf(settings.stage), settings, await bundling);
app.synth();
