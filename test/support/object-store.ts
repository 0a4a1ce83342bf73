import { randomUUID } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { fileAccesses } from '../../infra/constructs/access.ts';
import { credentials, region, sdkEnvironment } from '../../infra/local/account.ts';
import { readPolicy } from '../../infra/local/iam/policy.ts';
import { deployBuckets } from '../../infra/local/objects/buckets.ts';
import { startProxy } from '../../infra/local/proxy/proxy.ts';
import { startQueueServer } from '../../infra/local/queues/queue-server.ts';
import type { Json, Scope } from '../../infra/local/template/template.ts';
import { filesBucketVariable } from '../../shared/contract/files.ts';
import type { Need } from '../../shared/contract/needs.ts';

const nowhere = 'http://127.0.0.1:9';

export const lifecycle = (rule: { [name: string]: Json }): { [name: string]: Json } => ({
  LifecycleConfiguration: { Rules: [{ Status: 'Enabled', ...rule }] },
});

export const bucketScope = (properties: { [name: string]: Json }): Scope => ({
  template: { Resources: { Files: { Type: 'AWS::S3::Bucket', Properties: properties } } },
  pseudoParameters: { 'AWS::StackName': 'Test' },
  resources: new Map(),
});

/** An S3 of its own with one bucket, as the local stack runs it, for a function with these needs and for the operator. */
export const startObjectStore = async (
  needs: readonly Need[],
  { folder, properties = {} }: { folder?: string; properties?: { [name: string]: Json } } = {},
) => {
  const warnings: string[] = [];
  const warn = (line: string) => warnings.push(line);
  const [server, proxy] = await Promise.all([
    startQueueServer({ folder, onExit: warn }),
    startProxy({ warn, onExit: warn }),
  ]);
  const scope = bucketScope(properties);
  const expirations = await deployBuckets(scope, server.endpoint, server.expireObjects);
  const bucket = scope.resources.get('Files')?.reference ?? '';
  const identity = {
    functionName: 'files',
    roleName: 'FilesRole',
    accessKeyId: `ASIA${randomUUID().slice(0, 8)}`,
    secretAccessKey: randomUUID(),
    statements: readPolicy({
      Statement: fileAccesses(needs).map(({ actions, keys }) => ({
        Effect: 'Allow',
        Action: actions,
        Resource: `arn:aws:s3:::${bucket}/${keys}`,
      })),
    }),
  };
  await proxy.configure({
    upstreams: { dynamodb: nowhere, sqs: nowhere, secrets: nowhere, s3: server.endpoint, ses: nowhere },
    identities: [identity],
    tables: {},
    recordUsage: true,
  });
  const clientOf = (caller: { accessKeyId: string; secretAccessKey: string }) =>
    new S3Client({ region, endpoint: proxy.endpoints.s3, credentials: caller, maxAttempts: 1 });
  const clients = [clientOf(identity), clientOf(credentials)] as const;
  return {
    bucket,
    accessKeyId: identity.accessKeyId,
    warnings,
    expirations,
    url: `${proxy.endpoints.s3}/${bucket}`,
    client: clients[0],
    operator: clients[1],
    clientOf,
    environment: { ...sdkEnvironment(proxy.endpoints, identity), [filesBucketVariable]: bucket },
    usedPermissions: proxy.usedPermissions,
    stop: async () => {
      for (const client of clients) client.destroy();
      await proxy.stop();
      await server.stop();
    },
  };
};
