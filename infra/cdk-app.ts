import { App, type AppProps } from 'aws-cdk-lib';

/** The CDK app that holds a stack of this product, with the same options for a deployment, the local stack and tests. */
export const createApp = (props: AppProps = {}): App =>
  new App({
    analyticsReporting: false,
    treeMetadata: false,
    postCliContext: {
      // The CDK CLI sets this by itself; without the CLI the local stack would not find the code of a function.
      'aws:cdk:enable-asset-metadata': true,
      // What CloudFormation would refuse is an error here, not a warning.
      '@aws-cdk/core:validateAgainstDefaultRules': true,
    },
    ...props,
  });
