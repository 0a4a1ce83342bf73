import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { expiringRoot } from '../../shared/contract/files.ts';
import type { Settings } from '../settings.ts';
import { removalPolicyOf } from './removal-policy.ts';

/**
 * The files that programs bring and fetch, most of which expire. Browsers send forms to it and follow links, and neither needs CORS.
 * docs/data-model.md#the-bucket-files
 */
export class FilesBucket extends Bucket {
  constructor(scope: Construct, settings: Settings) {
    super(scope, 'Files', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        {
          id: 'expire',
          prefix: `${expiringRoot}/`,
          expiration: Duration.days(7),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy: removalPolicyOf(settings),
    });
  }
}
