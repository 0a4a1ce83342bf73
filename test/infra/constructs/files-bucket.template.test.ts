import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { environmentFor } from '../../../infra/constructs/environment.ts';
import { permissionsFor } from '../../../infra/constructs/permissions.ts';
import type { Resources } from '../../../infra/constructs/resources.ts';
import { readSettings } from '../../../infra/settings.ts';
import type { Need } from '../../../shared/contract/needs.ts';
import { readable, resources } from './resources.ts';
import { settings, stackIn, templateOf, withApp } from './template-of.ts';

let production: Template;
let dev: Template;

beforeAll(() => {
  production = templateOf(settings.production);
  dev = templateOf(settings.dev);
});

describe('the bucket', () => {
  const bucketOf = (template: Template) => {
    const [[id, properties] = [], ...others] = resources(template, 'AWS::S3::Bucket');
    expect(others).toEqual([]);
    return { id: id ?? '', properties };
  };

  it('is encrypted, closed to the public, owned by the account alone, without CORS', () => {
    expect(bucketOf(production).properties).toEqual({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      LifecycleConfiguration: expect.anything(),
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
  });

  it('deletes files after 7 days, but for images of assets, and parts of unfinished uploads after one', () => {
    expect(bucketOf(production).properties?.LifecycleConfiguration).toEqual({
      Rules: [
        {
          Id: 'expire',
          Prefix: 'programs/',
          Status: 'Enabled',
          ExpirationInDays: 7,
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        },
      ],
    });
  });

  it('is reached by TLS 1.2 or newer only', () => {
    const [statements] = resources(production, 'AWS::S3::BucketPolicy').map(
      ([, { PolicyDocument }]) => (PolicyDocument as { Statement: object[] }).Statement,
    );
    const denied = { Effect: 'Deny', Action: 's3:*', Principal: { AWS: '*' } };
    expect(statements).toEqual([
      expect.objectContaining({ ...denied, Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({ ...denied, Condition: { NumericLessThan: { 's3:TlsVersion': 1.2 } } }),
    ]);
  });

  it('is kept with its stage in production, and deleted with it elsewhere', () => {
    const policyOf = (template: Template) =>
      template.findResources('AWS::S3::Bucket')[bucketOf(template).id]?.DeletionPolicy;
    expect([policyOf(production), policyOf(dev)]).toEqual(['RetainExceptOnCreate', 'Delete']);
  });
});

describe('a need of files', () => {
  const program = '?'.repeat(36);
  const file = '?'.repeat(36);
  /** What a function with these needs may do and is told. */
  const grantedBy = (needs: readonly Need[]) =>
    withApp({ builtinCloudFormationValidation: false }, (app) => {
      const { data } = stackIn(app, readSettings({ STAGE: 'dev' }));
      // The rest of the resources is not asked for by these needs.
      const given = { settings: settings.dev, ...data, files: data.files } as unknown as Resources;
      const statements = permissionsFor(needs, given).map((statement) => statement.toStatementJson());
      const { FILES_BUCKET: bucket } = environmentFor(needs, given);
      const resolved = data.resolve(statements) as { Action: string | string[]; Resource: unknown }[];
      return {
        statements: resolved.map(({ Action, Resource }) => ({
          actions: [Action].flat(),
          on: Array.isArray(Resource) ? Resource.map(readable) : readable(Resource),
        })),
        bucket: bucket === undefined ? undefined : readable(data.resolve(bucket)),
      };
    });

  it.each<{ need: Need; actions: string[]; keys: string; root?: string }>([
    { need: 'import-files:read', actions: ['s3:GetObject'], keys: `imports/${file}.csv` },
    { need: 'import-files:write', actions: ['s3:AbortMultipartUpload', 's3:PutObject'], keys: `imports/${file}.csv` },
    { need: 'asset-images:read', actions: ['s3:GetObject'], keys: `asset-images/${file}.bin`, root: 'kept' },
    { need: 'export-files:delete', actions: ['s3:DeleteObject'], keys: `exports/${file}.zip` },
  ])(
    '$need allows $actions on $keys of any program, and names the bucket',
    ({ need, actions, keys, root = 'programs' }) => {
      expect(grantedBy([need])).toEqual({
        statements: [{ actions, on: `<Files.Arn>/${root}/${program}/${keys}` }],
        bucket: '<Files>',
      });
    },
  );

  it('is one statement with others that allow the same', () => {
    const { statements } = grantedBy(['export-files:delete', 'import-files:delete', 'asset-images:delete']);
    const on = [`programs/${program}/imports/${file}.csv`, `programs/${program}/exports/${file}.zip`];
    expect(statements).toEqual([
      {
        actions: ['s3:DeleteObject'],
        on: [...on, `kept/${program}/asset-images/${file}.bin`].map((key) => `<Files.Arn>/${key}`),
      },
    ]);
  });

  it('is one statement for each kind of files that is used in another way', () => {
    const { statements } = grantedBy(['export-files:write', 'import-files:read', 'import-files:delete']);
    expect(statements).toEqual([
      { actions: ['s3:DeleteObject', 's3:GetObject'], on: `<Files.Arn>/programs/${program}/imports/${file}.csv` },
      {
        actions: ['s3:AbortMultipartUpload', 's3:PutObject'],
        on: `<Files.Arn>/programs/${program}/exports/${file}.zip`,
      },
    ]);
  });

  it('is the only reason to be told of the bucket', () => {
    expect(grantedBy(['SALE:read'])).toMatchObject({ bucket: undefined });
  });
});
