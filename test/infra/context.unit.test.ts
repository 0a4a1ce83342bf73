import { RootConstruct } from 'constructs';
import { expect, it } from 'vitest';
import { refuseUnknownContext } from '../../infra/context.ts';

const appWith = (context: Record<string, string>): RootConstruct => {
  const app = new RootConstruct();
  for (const [key, value] of Object.entries(context)) app.node.setContext(key, value);
  return app;
};

it('a context key that nobody reads is refused, so that a misspelt stage deploys nothing', () => {
  expect(() => refuseUnknownContext(appWith({ stagee: 'prod' }))).toThrow('Nothing reads the context stagee');
});

it('the stage and the keys of the CDK itself are taken', () => {
  const known = { stage: 'prod', 'cli-telemetry': 'false', 'aws:cdk:bundling-stacks': '*', '@aws-cdk/core:x': 'true' };
  expect(() => refuseUnknownContext(appWith(known))).not.toThrow();
});
