import type { Construct } from 'constructs';
import cdk from '../cdk.json' with { type: 'json' };

/** What this app reads, and what cdk.json sets for the CDK itself. */
const known = new Set(['stage', ...Object.keys(cdk.context)]);
const isOfCdk = (key: string): boolean =>
  key.startsWith('aws:') || key.startsWith('@aws-cdk/') || key.includes(':account=');

/** Throws if the command line sets a context key that nobody reads: `-c stagee=prod` would deploy another stage. */
export const refuseUnknownContext = (app: Construct): void => {
  const unknown = Object.keys(app.node.getAllContext()).filter((key) => !known.has(key) && !isOfCdk(key));
  if (unknown.length > 0)
    throw new Error(`Nothing reads the context ${unknown.join(', ')}; this app reads stage, as in -c stage=prod`);
};
